import { Problem } from "../errors.ts";
import type { TenantSnapshot } from "../tenant/transaction.ts";
import type { CursorPagination, PageRequest } from "./paging.ts";

/** The position of a row in a list: its values of the sort columns; the last column is unique. */
export type CursorPosition = readonly (string | number)[];
/**
 * What a cursor belongs to: an organization, and a list with its filters and its order. A query with a `day` depends on
 * it, and its cursors begin with the day, so that all pages have the day of the first one.
 */
type CursorScope = { organizationId: number; query: unknown; day?: number | undefined };

const macLength = 16;
const leadingDay = /^([1-9][0-9]{0,6})\./;

/** The day with which a cursor begins. It is authenticated as a part of the query. */
export function cursorDay(cursor: string | undefined): number | undefined {
  const match = leadingDay.exec(cursor ?? "");
  return match ? Number(match[1]) : undefined;
}

function prefixOf({ day }: CursorScope): string {
  return day === undefined ? "" : `${day}.`;
}

/** Encodes a position for the caller: opaque, and authenticated with HMAC-SHA-256, truncated to 16 bytes. */
export function encodeCursor(key: string, scope: CursorScope, position: CursorPosition): string {
  const payload = JSON.stringify(position);
  const bytes = Buffer.concat([macOf(key, scope, payload), Buffer.from(payload)]);
  return prefixOf(scope) + bytes.toString("base64url");
}

/** The position of a cursor. Throws `invalid_cursor` for one that was changed, or that belongs to another scope. */
export function decodeCursor(key: string, scope: CursorScope, cursor: string): CursorPosition {
  const prefix = prefixOf(scope);
  const encoded = cursor.startsWith(prefix) ? cursor.slice(prefix.length) : "";
  const bytes = Buffer.from(encoded, "base64url");
  const payload = bytes.subarray(macLength).toString();
  // The decoder ignores other characters than base64url: without this check, many texts would be one cursor.
  const isCanonical = bytes.length > macLength && bytes.toString("base64url") === encoded;
  if (!isCanonical || !crypto.timingSafeEqual(bytes.subarray(0, macLength), macOf(key, scope, payload)))
    throw new Problem("invalid_cursor");
  // Safe: `encodeCursor` made it, because only it has the key.
  return JSON.parse(payload) as CursorPosition;
}

function macOf(key: string, { organizationId, query }: CursorScope, payload: string): Uint8Array {
  const text = JSON.stringify([organizationId, query, payload]);
  return new Bun.CryptoHasher("sha256", key).update(text).digest().subarray(0, macLength);
}

/** A page of a list in cursor mode. `query` identifies the list, its filters and its order. */
type CursorRead<R> = Pick<CursorScope, "query" | "day"> & {
  positionOf: (row: R) => CursorPosition;
  /** Reads rows after a position, or the first rows. */
  readAfter: (after: CursorPosition | undefined, limit: number) => Promise<R[]>;
  /** The position up to which `readAfter` has read when there may be rows after it: the page can be short then. */
  endOfRead?: () => CursorPosition | undefined;
};

/** A page, and the pagination of its first rows alone. */
export type CursorPage<R> = {
  rows: R[];
  pagination: CursorPagination;
  firstRows: (count: number) => CursorPagination;
};

/** The page after the cursor of the request. Throws `invalid_cursor`. */
export async function readCursorPage<R>(
  { organizationId, cursorKey }: TenantSnapshot,
  { pageSize, cursor }: PageRequest,
  { query, day, positionOf, readAfter, endOfRead }: CursorRead<R>,
): Promise<CursorPage<R>> {
  if (cursorKey === undefined) throw new Error("a list with a cursor is read by readList");
  const scope = { organizationId, query, day };
  const after = cursor ? decodeCursor(cursorKey, scope, cursor) : undefined;
  // One row more shows whether there is a next page.
  const found = await readAfter(after, pageSize + 1);
  const rows = found.slice(0, pageSize);
  const firstRows = (count: number): CursorPagination => {
    const last = rows[count - 1];
    const position = found.length > count && last !== undefined ? positionOf(last) : endOfRead?.();
    const nextCursor = position ? encodeCursor(cursorKey, scope, position) : null;
    return { pageSize, hasNextPage: nextCursor !== null, nextCursor };
  };
  return { rows, pagination: firstRows(rows.length), firstRows };
}
