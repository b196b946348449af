import {
  batchQuery,
  type CopyProgress,
  type CopyReader,
  type CopyTable,
  type CopyTarget,
  columnList,
  copyTables,
} from "../copy.ts";
import type { Value } from "../engine.ts";
import { UnusableDatabase } from "../errors.ts";
import { unfinishedTable } from "../migration.ts";
import { nameOfServer } from "../server-url.ts";
import { type HostConnection, Hosts } from "./connections/hosts.ts";
import { asUnusable, maxConnectMilliseconds, prepareSchema } from "./connections/open.ts";
import { exactNumbers } from "./connections/session-options.ts";
import { migrations } from "./migrations/list.ts";
import { arrayOf } from "./prepared.ts";

/** The advisory lock of the one process that copies into a database. */
const copyLock = 0x61636375;

/** One snapshot of the database. Throws UnusableDatabase. */
export async function openCopySource(url: string, clock: () => number): Promise<CopyReader> {
  await prepareSchema(url, migrations, { clock });
  const connection = await connect(url);
  await connection.run("begin isolation level repeatable read read only");
  return copyReader(connection);
}

/** The database, whose tables are created if it has none. Throws UnusableDatabase, also for one with rows. */
export async function openCopyTarget(url: string, clock: () => number): Promise<CopyTarget> {
  await prepareSchema(url, migrations, { clock, canCreate: true, canBeUnfinished: true });
  const connection = await connect(url);
  try {
    return await startTarget(url, connection);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function startTarget(url: string, { run, close }: CopyConnection): Promise<CopyTarget> {
  const [lock] = await run(`select pg_try_advisory_lock(${copyLock})`);
  if (lock?.[0] !== true)
    throw new UnusableDatabase(`${nameOfServer(url)} is the target of another accountd copy.`);
  const [use] = await run("select exists (select from leases where expires_at > clock_timestamp())");
  if (use?.[0] === true)
    throw new UnusableDatabase(`${nameOfServer(url)} is in use by another accountd. Stop it first.`);
  const rows = copyTables.map(({ name }) => `exists (select from ${name})`).join(" or ");
  const [state] = await run(`select to_regclass('${unfinishedTable}') is null and (${rows})`);
  if (state?.[0] === true)
    throw new UnusableDatabase(`${nameOfServer(url)} has data. Name a database without data with --to.`);
  // A crash of the server loses the last batches only. The commit of `finish` is durable, with all before it.
  await run("set synchronous_commit = off");
  const [existing] = await run(`select to_regclass('${unfinishedTable}') is not null`);
  if (existing?.[0] !== true) await begin(run);
  const stored = await run(`select name, row_count, digest from ${unfinishedTable}`);
  return {
    ...copyReader({ run, close }),
    stored: new Map(
      stored.map(([name, rowCount, digest]): [string, CopyProgress] => [
        String(name),
        { rowCount: Number(rowCount), digest: String(digest) },
      ]),
    ),
    async write(table, batch, { rowCount, digest }) {
      const arrays = table.columns.map((_, i) => arrayOf(batch.map((row) => row[i] ?? null)));
      await run(insertSql(table), [table.name, String(rowCount), digest, ...arrays]);
    },
    async finish(lastIds) {
      for (const [{ name }, lastId] of lastIds)
        if (lastId > 0) await run(`select setval(pg_get_serial_sequence('${name}', 'id'), ${lastId})`);
      // The foreign keys are checked by joins of whole tables.
      for (const name of scanSettings) await run(`set ${name} = on`);
      await run("set synchronous_commit = on");
      await run("begin");
      await run(fillLocks);
      for (const [statement] of await run(`select statement from ${dropped}`)) await run(String(statement));
      await run(`drop table ${unfinishedTable}, ${dropped}`);
      await run("commit");
      // Searches read an index alone, which needs the map of visible pages.
      for (const { name } of copyTables) await run(`vacuum (analyze) ${name}`);
    },
  };
}

/** Creates the table of the progress, and drops the indexes and the foreign keys, which `finish` creates again. */
async function begin(run: CopyConnection["run"]): Promise<void> {
  await run("begin");
  await run(
    `create table ${unfinishedTable} (name text primary key, row_count bigint not null, digest text not null)`,
  );
  await run(`create table ${dropped} as ${restoringStatements}`);
  for (const [statement] of await run(`select drop_statement from ${dropped}`)) await run(String(statement));
  await run("commit");
}

/** The statements that create what was dropped. */
const dropped = `${unfinishedTable}_dropped`;
const tableNames = copyTables.map(({ name }) => `'${name}'::regclass`).join(", ");
const restoringStatements = `select format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as statement,
  format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop_statement
from pg_constraint where contype = 'f' and conrelid in (${tableNames})
union all
select pg_get_indexdef(indexrelid), format('drop index %s', indexrelid::regclass)
from pg_index where indrelid in (${tableNames})
  and not exists (select from pg_constraint where conindid = indexrelid)`;

/** A transaction of an organization is never earlier than its last one. */
const fillLocks = `insert into organization_locks (organization_id, last_transaction_at)
select organization_id, max(changed_at) from changes group by organization_id
on conflict (organization_id) do update set last_transaction_at = excluded.last_transaction_at`;

/** Inserts the rows, which are given by their columns, and stores the progress, in one transaction. */
function insertSql(table: CopyTable): string {
  const arrays = table.columns.map(({ type }, i) => `cast(cast($${i + 4} as text) as ${type}[])`).join(", ");
  return `with rows as (insert into ${table.name} (${columnList(table)}) select * from unnest(${arrays}))
insert into ${unfinishedTable} (name, row_count, digest) values ($1, cast($2 as bigint), $3)
on conflict (name) do update set row_count = excluded.row_count, digest = excluded.digest`;
}

const scanSettings = ["enable_seqscan", "enable_bitmapscan", "enable_sort"];

type CopyConnection = {
  /** Runs a statement with texts as parameters; resolves with the values of its rows. Throws UnusableDatabase. */
  run(text: string, parameters?: readonly (string | null)[]): Promise<unknown[][]>;
  close(): Promise<void>;
};

async function connect(url: string): Promise<CopyConnection> {
  let connected: HostConnection | undefined;
  const close = async () => connected?.pool.close({ timeout: 0 });
  const run: CopyConnection["run"] = async (text, parameters = []) => {
    try {
      // A lost connection is not replaced: the snapshot and the lock belong to this one.
      connected ??= await new Hosts(url).connect({
        openPool: (host) => new Bun.SQL({ ...host, max: 1, idleTimeout: 0 }),
        milliseconds: maxConnectMilliseconds,
      });
      return await connected.connection.unsafe(text, [...parameters]).values();
    } catch (error) {
      throw asUnusable(url, error);
    }
  };
  const settings = [
    ...["statement_timeout", "idle_in_transaction_session_timeout", "transaction_timeout"].map((s) => [
      s,
      "0",
    ]),
    // A batch is read from the index of the key. Without statistics, the whole table would be sorted for each one.
    ...scanSettings.map((name) => [name, "off"]),
    ...Object.entries(exactNumbers),
    ["maintenance_work_mem", "'256MB'"],
  ];
  for (const [name, value] of settings) await run(`set ${name} = ${value}`);
  return { run, close };
}

function copyReader({ run, close }: CopyConnection): CopyReader {
  return {
    async read(table, after, limit) {
      const key = after?.map((value) => (value === null ? null : String(value)));
      const rows = await run(batchQuery(table, key !== undefined, limit), key);
      // The driver returns a bigint as a text. Safe: no column of the schema has another type.
      for (const [i, { type }] of table.columns.entries())
        if (type === "bigint") for (const row of rows) row[i] = row[i] === null ? null : Number(row[i]);
      return rows as Value[][];
    },
    async count({ name }) {
      const [row] = await run(`select count(*) from ${name}`);
      return Number(row?.[0]);
    },
    async lastId({ name }) {
      const [row] = await run(
        `select pg_sequence_last_value(pg_get_serial_sequence('${name}', 'id')::regclass)`,
      );
      return Number(row?.[0] ?? 0);
    },
    close,
  };
}
