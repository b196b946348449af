import { Pauses } from "../../db/event-loop.ts";
import { maxBatchBytes, readBatchSize, writeBatchSize } from "../core/pauses.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";

/**
 * Reads all rows in the order of their key, in pages, with a pause after each. `readPage` gets the last row of the page
 * before. `visit` gets the rows of each page.
 */
export async function visitPages<Row>(
  readPage: (last: Row | undefined) => Promise<Row[]>,
  visit: (rows: Row[]) => Promise<void>,
): Promise<void> {
  let last: Row | undefined;
  for (;;) {
    const start = performance.now();
    const rows = await readPage(last);
    await visit(rows);
    if (rows.length < readBatchSize) return;
    last = rows.at(-1);
    await pauseAfter(start);
  }
}

/** Calls `visit` for parts of some rows to look up, with a pause after each. */
export async function visitParts<Row>(
  rows: readonly Row[],
  visit: (part: readonly Row[]) => Promise<void>,
): Promise<void> {
  for await (const part of partsOf(rows, writeBatchSize, () => 1)) await visit(part);
}

/** Calls `visit` for parts of rows whose texts have at most a megabyte, or for one row, with a pause after each. */
export async function visitTexts<Row extends { textBytes: number }>(
  rows: readonly Row[],
  visit: (part: readonly Row[]) => Promise<void>,
): Promise<void> {
  for await (const part of partsOf(rows, maxBatchBytes, ({ textBytes }) => textBytes)) await visit(part);
}

/**
 * Calls `writeRow` for all rows, in transactions, with a pause after each. `sizeOf` returns how many rows of the
 * database `writeRow` changes; it pauses if these are many.
 */
export async function writeRows<Row>(
  tenant: Tenant,
  rows: readonly Row[],
  writeRow: (tx: TenantTransaction, row: Row, pauses: Pauses) => Promise<void>,
  sizeOf: (row: Row) => number = () => 1,
): Promise<void> {
  for await (const part of partsOf(rows, writeBatchSize, sizeOf)) {
    const writeAll = async (tx: TenantTransaction) => {
      const pauses = new Pauses(tx);
      for (const row of part) {
        await writeRow(tx, row, pauses);
        await pauses.next();
      }
    };
    await tenant.write(writeAll, { isBulk: true });
  }
}

/** The list in parts whose sizes add up to at most `maxSize`, unless a part is one item, with a pause after each. */
async function* partsOf<T>(items: readonly T[], maxSize: number, sizeOf: (item: T) => number) {
  let [part, size]: [T[], number] = [[], 0];
  for (const [i, item] of items.entries()) {
    part.push(item);
    size += sizeOf(item);
    const next = items[i + 1];
    if (next !== undefined && size + sizeOf(next) <= maxSize) continue;
    const start = performance.now();
    yield part;
    await pauseAfter(start);
    [part, size] = [[], 0];
  }
}

/** Pauses for as long as the work since `start`, a value of `performance.now()`: half of the time is for requests. */
export async function pauseAfter(start: number): Promise<void> {
  await Bun.sleep(performance.now() - start);
}
