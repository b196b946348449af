import type { Value } from "./engine.ts";
import { UnusableDatabase } from "./errors.ts";
import { castTypeOf } from "./expressions.ts";
import { keyOfTable, tables } from "./tables.ts";

/** A table as a copy reads and writes it. */
export type CopyTable = {
  name: string;
  columns: readonly { name: string; type: ReturnType<typeof castTypeOf> }[];
  /** The positions of the columns of the primary key. */
  key: readonly number[];
  /** Whether the database generates the ids. */
  hasGeneratedId: boolean;
};

/** A row: the values in the order of the columns. */
export type CopyRow = readonly Value[];

/** Every table of the schema, each after the tables that it references. */
export const copyTables: readonly CopyTable[] = tables.map(describe);

function describe({ config }: (typeof tables)[number]): CopyTable {
  const { name, columns } = config;
  return {
    name,
    columns: columns.map((column) => ({ name: column.name, type: castTypeOf(column) })),
    key: keyOfTable(config).map((column) => columns.indexOf(column)),
    hasGeneratedId: columns.some((column) => "autoIncrement" in column && column.autoIncrement === true),
  };
}

/** The names of the columns, separated by commas. */
export function columnList({ columns }: CopyTable): string {
  return columns.map(({ name }) => name).join(", ");
}

/** A query of both engines for rows in the order of the key: the first ones, or those after the key `$1, $2, …`. */
export function batchQuery(table: CopyTable, isAfterKey: boolean, limit: number): string {
  const key = table.key.flatMap((i) => table.columns[i] ?? []);
  const names = key.map(({ name }) => name).join(", ");
  const inputs = key.map(({ type }, i) => `cast($${i + 1} as ${type})`).join(", ");
  const where = isAfterKey ? `where (${names}) > (${inputs})` : "";
  return `select ${columnList(table)} from ${table.name} ${where} order by ${names} limit ${limit}`;
}

export function keyOf({ key }: CopyTable, row: CopyRow): Value[] {
  return key.map((i) => row[i] ?? null);
}

/**
 * The SHA-256 of a batch and of the digest before it: the last digest of a table depends on all of its rows.
 * Throws UnusableDatabase for an integer that a JavaScript number cannot have.
 */
export function digestOf(table: CopyTable, previous: string, rows: readonly CopyRow[]): string {
  for (const [i, { name, type }] of table.columns.entries())
    if (type === "bigint" && !rows.every((row) => row[i] === null || Number.isSafeInteger(row[i])))
      throw new UnusableDatabase(`${table.name}.${name} has an integer beyond 2^53, which cannot be copied.`);
  return new Bun.CryptoHasher("sha256").update(previous).update(JSON.stringify(rows)).digest("hex");
}

/** Part of the progress format, so never changed: a continued copy reads the batches of the run before it. */
const defaultBatchRows = 2_000;

/** What is stored of a table: its first rows, and their digest. */
export type CopyProgress = { rowCount: number; digest: string };

/** One consistent state of a database, or the target of a copy. */
export interface CopyReader {
  /** The rows in the order of the key: the first ones, or those after the key `after`. */
  read(table: CopyTable, after: Value[] | undefined, limit: number): Promise<CopyRow[]>;
  count(table: CopyTable): Promise<number>;
  /** The highest id that a table with generated ids ever had; 0 if it had none. */
  lastId(table: CopyTable): Promise<number>;
  close(): Promise<void>;
}

/** A database without rows, or with the rows of an unfinished copy. Nothing else writes to it before `close`. */
export interface CopyTarget extends CopyReader {
  /** What earlier runs stored, by table. */
  readonly stored: ReadonlyMap<string, CopyProgress>;
  /** Inserts rows, and stores the progress of their table in the same transaction. */
  write(table: CopyTable, rows: readonly CopyRow[], progress: CopyProgress): Promise<void>;
  /** Makes the database usable, durably. Ids and times of transactions continue after the last ones of the source. */
  finish(lastIds: ReadonlyMap<CopyTable, number>): Promise<void>;
}

export type CopyOptions = {
  /** Called with the number of rows that were read, and of all that will be: the source is read, then the target. */
  onProgress?: (readCount: number, totalCount: number) => void;
  /** Called after the rows of a table were written; the copy waits for its promise. */
  onTable?: (name: string, rowCount: number) => void | Promise<void>;
  batchRows?: number;
};

/**
 * Copies every table, reads the target back, and compares counts and digests. Continues an unfinished copy after
 * comparing its rows with the source. Resolves with the rows of each table, and the tables whose rows differ in the target,
 * which is unfinished then. Throws UnusableDatabase when the source has changed.
 */
export async function copyAll(
  source: CopyReader,
  target: CopyTarget,
  { onProgress = () => {}, onTable = () => {}, batchRows = defaultBatchRows }: CopyOptions = {},
): Promise<{ rowCounts: Record<string, number>; differing: string[] }> {
  let total = 0;
  for (const table of copyTables) total += 2 * (await source.count(table));
  let readCount = 0;
  const advance = (rows: number) => {
    readCount += rows;
    onProgress(readCount, Math.max(total, readCount));
  };
  const copied = new Map<CopyTable, CopyProgress>();
  for (const table of copyTables) {
    const progress = await copyTable(source, target, { table, batchRows, advance });
    copied.set(table, progress);
    await onTable(table.name, progress.rowCount);
  }
  const differing: string[] = [];
  for (const [table, { rowCount, digest }] of copied) {
    let found: CopyProgress = { rowCount: 0, digest: "" };
    for await (const batch of batches(target, table, batchRows)) {
      found = advanced(table, found, batch);
      advance(batch.length);
    }
    if (found.rowCount !== rowCount || found.digest !== digest) differing.push(table.name);
  }
  if (differing.length === 0) {
    const generated = copyTables.filter(({ hasGeneratedId }) => hasGeneratedId);
    const lastIds = new Map<CopyTable, number>();
    for (const table of generated) lastIds.set(table, await source.lastId(table));
    await target.finish(lastIds);
  }
  const rowCounts = [...copied].map(([{ name }, { rowCount }]) => [name, rowCount]);
  return { rowCounts: Object.fromEntries(rowCounts), differing };
}

type TableCopy = { table: CopyTable; batchRows: number; advance: (rows: number) => void };

/** Compares the stored rows with the source, and copies the rest. */
async function copyTable(
  source: CopyReader,
  target: CopyTarget,
  { table, batchRows, advance }: TableCopy,
): Promise<CopyProgress> {
  const stored = target.stored.get(table.name) ?? { rowCount: 0, digest: "" };
  let progress: CopyProgress = { rowCount: 0, digest: "" };
  // The next batch is read while one is written.
  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const batch of batches(source, table, batchRows)) {
      const isNew = progress.rowCount >= stored.rowCount;
      if (progress.rowCount === stored.rowCount) assertSame(table, progress, stored);
      progress = advanced(table, progress, batch);
      await writing;
      if (isNew) writing = target.write(table, batch, progress);
      // Without a handler, a failure during the next read would end the process.
      writing.catch(() => {});
      advance(batch.length);
    }
  } finally {
    await writing;
  }
  if (progress.rowCount <= stored.rowCount) assertSame(table, progress, stored);
  return progress;
}

function assertSame({ name }: CopyTable, progress: CopyProgress, stored: CopyProgress): void {
  if (progress.rowCount !== stored.rowCount || progress.digest !== stored.digest)
    throw new UnusableDatabase(
      `The source has changed in ${name} since the copy was begun. Start again with an empty target.`,
    );
}

async function* batches(reader: CopyReader, table: CopyTable, limit: number): AsyncGenerator<CopyRow[]> {
  for (let after: Value[] | undefined; ; ) {
    const batch = await reader.read(table, after, limit);
    const last = batch.at(-1);
    if (last) yield batch;
    if (!last || batch.length < limit) return;
    after = keyOf(table, last);
  }
}

function advanced(table: CopyTable, { rowCount, digest }: CopyProgress, batch: CopyRow[]): CopyProgress {
  return { rowCount: rowCount + batch.length, digest: digestOf(table, digest, batch) };
}
