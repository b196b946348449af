/** The pause after a step is at least this long, and as long as the step, so that half of the time is for requests. */
const minPauseMilliseconds = 1;

/** Rows to read in one step: some milliseconds. */
export const readSize = 1_000;
/** Rows to change in one transaction. A row can have 32 KiB. */
export const writeSize = 100;

/**
 * Reads all rows in the order of their key, in pages, with a pause after each. `readPage` gets the last row of the page
 * before. `visit` gets the rows of each page.
 */
export async function visitPages<Row>(
  size: number,
  readPage: (last: Row | undefined) => Promise<Row[]>,
  visit: (rows: Row[]) => Promise<void>,
): Promise<void> {
  let last: Row | undefined;
  for (;;) {
    const start = performance.now();
    const rows = await readPage(last);
    await visit(rows);
    if (rows.length < size) return;
    last = rows.at(-1);
    await pauseAfter(start);
  }
}

/** Calls `write` for parts of the rows, with a pause after each. */
export async function writeParts<Row>(
  rows: readonly Row[],
  write: (part: readonly Row[]) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < rows.length; from += writeSize) {
    const start = performance.now();
    await write(rows.slice(from, from + writeSize));
    await pauseAfter(start);
  }
}

/** Pauses for as long as the work since `start`, which is a value of `performance.now()`. */
export async function pauseAfter(start: number): Promise<void> {
  await Bun.sleep(Math.max(minPauseMilliseconds, performance.now() - start));
}
