import type { Values } from "../../../db/engine.ts";
import type { TenantSnapshot } from "../tenant/tenant.ts";
import type { OrderedRow } from "./definition.ts";
import type { ListStatements } from "./statements.ts";

/** From this offset on, the keys of a page are read from an index alone, then its rows by key. */
const DEEP_PAGE_OFFSET = 1_000;
/** Assumed row count n. A page of m matches reads m rows, or in sort order about n / m for each of its rows. */
const LARGE_ROW_COUNT = 1_000_000;

/** A page in page mode: how many rows to read after how many, and the statements for it. */
export type PageRead<R> = {
  snapshot: TenantSnapshot;
  statements: ListStatements<R>;
  /** Returns the statements of the opposite order. */
  reversed: () => ListStatements<R>;
  /** The statements that count the rows. */
  counts: ListStatements<R>;
  /** The values of the filters. */
  values: Values;
  limit: number;
  offset: number;
};

/** Reads a page and the number of all rows. `readTotal` returns a stored total, or undefined when the rows are counted. */
export async function readPage<R>(
  page: PageRead<R>,
  readTotal: () => Promise<number | undefined> | undefined,
): Promise<{ rows: R[]; total: number }> {
  const { snapshot, statements, values, limit, offset } = page;
  if (offset >= DEEP_PAGE_OFFSET || statements.pageInSortOrder) {
    // The total decides how the page is read.
    const total = (await readTotal()) ?? (await countMatches(page));
    return { rows: offset < total ? await readRows(page, total) : [], total };
  }
  const place = { ...values, limit, offset };
  const { countAfter } = statements;
  if (!countAfter) {
    const rows = await snapshot.all(statements.page, place);
    return { rows, total: (await readTotal()) ?? countIfLast(page, rows) ?? (await countMatches(page)) };
  }
  const rows = await snapshot.all(statements.positionedPage, place);
  const total =
    (await readTotal()) ?? countIfLast(page, rows) ?? (await countWithPage(page, countAfter, rows));
  return { rows, total };
}

async function readRows<R>(page: PageRead<R>, total: number): Promise<R[]> {
  const { snapshot, statements, values, limit, offset } = page;
  const isFasterInSortOrder = total ** 2 > (offset + limit) * LARGE_ROW_COUNT;
  if (statements.pageInSortOrder && isFasterInSortOrder)
    return snapshot.all(statements.pageInSortOrder, { ...values, limit, offset });
  if (offset < DEEP_PAGE_OFFSET) return snapshot.all(statements.page, { ...values, limit, offset });
  const keys = await readKeys(page, total);
  const rows = await Promise.all(keys.map((key) => snapshot.first(statements.byKey, key)));
  return rows.flatMap((row) => row ?? []);
}

/** Reads the keys of a page in the second half from the end of the list: fewer rows are before it. */
async function readKeys<R>(page: PageRead<R>, total: number): Promise<{ key: number }[]> {
  const { snapshot, statements, reversed, values, offset } = page;
  const limit = Math.min(page.limit, total - offset);
  const rowsAfter = total - offset - limit;
  if (rowsAfter >= offset) return snapshot.all(statements.keys, { ...values, limit: page.limit, offset });
  return (await snapshot.all(reversed().keys, { ...values, limit, offset: rowsAfter })).reverse();
}

async function countMatches<R>({ snapshot, counts, values }: PageRead<R>): Promise<number> {
  return (await snapshot.first(counts.countAll, values))?.count ?? 0;
}

/** The total, if these rows are the last ones. */
function countIfLast(
  { limit, offset }: PageRead<unknown>,
  { length }: readonly unknown[],
): number | undefined {
  return length < limit && (length > 0 || offset === 0) ? offset + length : undefined;
}

/** The total of a search. It reads its index once: the page reads it up to its last row, `countAfter` the rest. */
async function countWithPage<R>(
  page: PageRead<R>,
  countAfter: NonNullable<ListStatements<R>["countAfter"]>,
  rows: readonly OrderedRow<R>[],
): Promise<number> {
  const { snapshot, values, offset } = page;
  const last = rows.at(-1);
  if (!last) return countMatches(page);
  const after = { lastValue: last.orderValue, lastKey: last.orderKey };
  const following = await snapshot.first(countAfter, { ...values, ...after });
  return offset + rows.length + (following?.count ?? 0);
}
