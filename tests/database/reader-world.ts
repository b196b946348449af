import { sql } from "drizzle-orm";
import type { Engine, Snapshot } from "../../db/engine.ts";
import { inputs, integerInput } from "../../db/expressions.ts";
import { organizations } from "../../db/schema.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { ReaderPool, type ReaderPoolOptions } from "../../db/sqlite/readers/reader-pool.ts";
import { insert, select } from "../../db/statements.ts";
import { createOrganization } from "../../src/organizations/store.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { temporaryFile } from "../support/world.ts";
import { clock } from "./files.ts";

export const countStatement = select("tests.readers.count", {
  fields: { count: sql<number>`count(*)` },
  from: organizations,
});
/** Counts to the input `steps`: 1,000,000 take some hundred milliseconds. */
export const counting = sql<number>`(with recursive n (i) as (select 1 union all select i + 1 from n where i < ${integerInput("steps")}) select count(*) from n)`;
export const longStatement = select("tests.readers.long", {
  fields: { count: counting },
  from: organizations,
  paged: true,
});
export const failingStatement = select("tests.readers.failing", {
  fields: { value: sql`json('{')` },
  from: organizations,
});
export const insertOrganization = insert("tests.readers.insert", {
  into: organizations,
  values: inputs(organizations, "name", "foldedName", "createdAt"),
});
export const steps = 1_000_000;
export const endless = 10 ** 12;
export const page = { limit: 1, offset: 0 };

export type Read = Engine["read"];

/** An engine with three organizations and one reader, and reads of an organization in the reader. */
export async function engineWithReader() {
  const file = temporaryFile("accountd.db");
  const engine = openDatabase(file, { clock, canCreate: true, readWorkers: 1 });
  closeAfterTest(() => engine.close());
  for (const name of ["First", "Second", "Third"]) await createOrganization(engine, name);
  const read: Read = (fn, hints) => engine.read(fn, { place: "reader", organizationId: 1, ...hints });
  return { file, engine, read };
}

export const countIn = async (snapshot: Snapshot) => (await snapshot.first(countStatement, {}))?.count;
export const countTo = (to: number) => (snapshot: Snapshot) =>
  snapshot.all(longStatement, { steps: to, ...page });

export async function poolWith(options: Partial<ReaderPoolOptions>): Promise<ReaderPool> {
  const { file } = await engineWithReader();
  const pool = new ReaderPool(file, {
    now: clock,
    translate: (error) => error,
    assertFileUnchanged: () => {},
    isCheckpointDue: () => false,
    checkpoint: async () => {},
    ...options,
  });
  closeAfterTest(() => pool.close());
  return pool;
}

export const settled = async (read: Promise<unknown>) =>
  (await Promise.allSettled([read])).map((result) =>
    "value" in result ? result.value : result.reason.code,
  )[0];

/** The processes that this one started as readers. */
export function readerPids(): number[] {
  const { stdout } = Bun.spawnSync(["ps", "-o", "pid=,stat=,args=", "--ppid", String(process.pid)]);
  const lines = stdout.toString().trim().split("\n");
  return lines
    .filter((line) => /readers\/reader\.ts/.test(line) && !/^\s*\d+\s+Z/.test(line))
    .map(Number.parseFloat);
}
