import { Problem } from "../errors.ts";
import type { TenantSnapshot } from "../tenant/transaction.ts";
import type { CursorPagination, PageRequest } from "./paging.ts";

/** The position of a row in a list: its values of the sort columns; the last column is unique. */
export type CursorPosition = readonly (string | number)[];
/** What a cursor belongs to: an organization, and a list with its filters and its order. */
type CursorScope = { organizationId: number; query: unknown };

const macLength = 16;

/** Encodes a position for the caller: opaque, and authenticated with HMAC-SHA-256, truncated to 16 bytes. */
export function encodeCursor(key: string, scope: CursorScope, position: CursorPosition): string {
  const payload = JSON.stringify(position);
  return Buffer.concat([macOf(key, scope, payload), Buffer.from(payload)]).toString("base64url");
}

/** The position of a cursor. Throws `invalid_cursor` for one that was changed, or that belongs to another scope. */
export function decodeCursor(key: string, scope: CursorScope, cursor: string): CursorPosition {
  const bytes = Buffer.from(cursor, "base64url");
  const payload = bytes.subarray(macLength).toString();
  // The decoder ignores other characters than base64url: without this check, many texts would be one cursor.
  const isCanonical = bytes.length > macLength && bytes.toString("base64url") === cursor;
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
type CursorRead<R> = {
  query: unknown;
  positionOf: (row: R) => CursorPosition;
  /** Reads rows after a position, or the first rows. */
  readAfter: (after: CursorPosition | undefined, limit: number) => Promise<R[]>;
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
  { query, positionOf, readAfter }: CursorRead<R>,
): Promise<CursorPage<R>> {
  if (cursorKey === undefined) throw new Error("a list with a cursor is read by readList");
  const scope = { organizationId, query };
  const after = cursor ? decodeCursor(cursorKey, scope, cursor) : undefined;
  // One row more shows whether there is a next page.
  const found = await readAfter(after, pageSize + 1);
  const rows = found.slice(0, pageSize);
  const firstRows = (count: number): CursorPagination => {
    const last = rows[count - 1];
    const hasNextPage = found.length > count && last !== undefined;
    const nextCursor = hasNextPage ? encodeCursor(cursorKey, scope, positionOf(last)) : null;
    return { pageSize, hasNextPage, nextCursor };
  };
  return { rows, pagination: firstRows(rows.length), firstRows };
}
