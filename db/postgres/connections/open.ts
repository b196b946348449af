import type { ReservedSQL, SQL } from "bun";
import { EngineBusy, UnusableDatabase } from "../../errors.ts";
import { countPending, type Migration, unfinishedMessage, unfinishedTable } from "../../migration.ts";
import { nameOfServer } from "../../server-url.ts";
import type { ConnectionSettings, StorageOptions } from "../../storage.ts";
import { pollMilliseconds } from "../../timer.ts";
import { isOfDriver, translate } from "../errors.ts";
import { canMigrate, creationRefusal, migrate, migrationStates } from "../migrate.ts";
import { Hosts } from "./hosts.ts";
import { exactNumbers } from "./session-options.ts";

/** The first version with `transaction_timeout`. */
const minVersionNumber = 170_000;

type ServerState = {
  /** `server_version_num`, such as 180001, and its text. */
  versionNumber: number;
  version: string;
  encoding: string;
  /** The clock of the server, in milliseconds since 1970 UTC. */
  time: number;
};

/** One round trip: a statement without parameters is not prepared. */
export async function readServerState(connection: ReservedSQL): Promise<ServerState> {
  const [row = []] = await connection
    .unsafe(
      `select current_setting('server_version_num'), current_setting('server_version'),
      current_setting('server_encoding'), floor(extract(epoch from clock_timestamp()) * 1000)::text`,
    )
    .values();
  const [versionNumber, version, encoding, time] = row.map(String);
  return {
    versionNumber: Number(versionNumber),
    version: version ?? "",
    encoding: encoding ?? "",
    time: Number(time),
  };
}

/** Throws UnusableDatabase for an older server, and for a database that cannot store every text. */
export function checkServerState({ versionNumber, version, encoding }: ServerState, name: string): void {
  if (versionNumber < minVersionNumber)
    throw new UnusableDatabase(`PostgreSQL 17 or newer is required; ${name} runs ${version}.`);
  if (encoding !== "UTF8")
    throw new UnusableDatabase(
      `${name} has the encoding ${encoding}. Create the database with TEMPLATE template0 ENCODING 'UTF8'.`,
    );
}

export const maxConnectMilliseconds = 5_000;
const defaultMaxWaitMilliseconds = 60_000;

export const noTablesMessage = "The database has no tables. Run accountd migrate.";

/** Why the schema is not ready: another role has to migrate it, or another transaction has locked a table. */
const ownerMessage =
  "The database has an older schema, and the role may not change it. Run accountd migrate as the owner of the tables.";
const lockMessage =
  "Another transaction, such as a backup, has locked the tables of the database. Migrate it after that.";

/** With `canMigrate`, pending migrations are applied, or awaited if the role may not apply them. */
export type PrepareOptions = StorageOptions & {
  /** Whether the database may be an unfinished copy. */
  canBeUnfinished?: boolean;
  /** The longest wait for another process, and for locked tables. */
  maxWaitMilliseconds?: number;
  connections?: Partial<ConnectionSettings>;
};

/**
 * Checks that the database has the schema of this binary, after migrating it if allowed. Resolves with the milliseconds
 * by which the clock is ahead of the server's clock. Throws UnusableDatabase.
 */
export async function prepareSchema(
  url: string,
  migrations: readonly Migration[],
  options: PrepareOptions,
): Promise<number> {
  const { maxWaitMilliseconds = defaultMaxWaitMilliseconds } = options;
  const started = performance.now();
  let isWaiting = false;
  for (;;) {
    const { prepare } = options.connections ?? {};
    let aheadMilliseconds = 0;
    const attempt = (sql: SQL, { time }: ServerState) => {
      aheadMilliseconds = options.clock() - time;
      return prepareOnce(sql, migrations, options);
    };
    const delay = await withSql(url, attempt, prepare);
    if (delay === undefined) return aheadMilliseconds;
    const isForRole = delay !== lockMessage;
    const isOver = performance.now() - started > maxWaitMilliseconds;
    if (isOver || (isForRole && !options.onMigrationAwaited)) throw new UnusableDatabase(delay);
    if (isForRole && !isWaiting) options.onMigrationAwaited?.();
    isWaiting ||= isForRole;
    await Bun.sleep(pollMilliseconds);
  }
}

/** Returns why the schema is not ready yet; undefined when it is. */
async function prepareOnce(
  sql: SQL,
  migrations: readonly Migration[],
  options: PrepareOptions,
): Promise<string | undefined> {
  const states = await migrationStates(sql, migrations);
  const pending = countPending(states);
  const isEmpty = pending === states.length;
  if (!options.canBeUnfinished && (await isUnfinished(sql))) throw new UnusableDatabase(unfinishedMessage);
  if (!isEmpty && options.checkOrganizations) options.checkOrganizations(await organizationNames(sql));
  if (pending === 0) return undefined;
  if (!(isEmpty ? options.canCreate || options.canMigrate : options.canMigrate))
    throw new UnusableDatabase(
      isEmpty ? noTablesMessage : "The database has an older schema. Run accountd migrate.",
    );
  const refusal = isEmpty ? await creationRefusal(sql) : undefined;
  if (refusal !== undefined) return refusal;
  if (!(await canMigrate(sql))) return ownerMessage;
  const names = await migrate(sql, migrations, { ...options, now: options.clock() });
  if (!names) return lockMessage;
  if (names.length === 0) return undefined;
  const [{ schema }] = await sql`select current_schema() as schema`;
  if (isEmpty) options.created?.(schema);
  else options.upgraded?.(names, undefined);
  return undefined;
}

/** Whether the database is the target of a copy that did not finish. */
export async function isUnfinished(sql: SQL): Promise<boolean> {
  const [row] = await sql`select to_regclass(${unfinishedTable}) is not null as found`;
  return row.found;
}

/** The folded names. One of digits alone marks an organization that is being deleted. */
async function organizationNames(sql: SQL): Promise<string[]> {
  const rows = await sql`select folded_name as name from organizations where folded_name ~ '[^0-9]'`;
  return rows.map(({ name }: { name: string }) => name);
}

/**
 * Checks the server, and runs `work` on a connection of its own; `prepare` as in `SessionOptions`. Throws
 * UnusableDatabase for errors that the operator can fix.
 */
export async function withSql<T>(
  url: string,
  work: (sql: SQL, server: ServerState) => Promise<T>,
  prepare = true,
): Promise<T> {
  let pool: SQL | undefined;
  try {
    const connected = await new Hosts(url).connect({
      openPool: (host) =>
        new Bun.SQL({ ...host, max: 1, prepare, ...(prepare && { connection: exactNumbers }) }),
      milliseconds: maxConnectMilliseconds,
    });
    pool = connected.pool;
    const server = await readServerState(connected.connection);
    checkServerState(server, nameOfServer(url));
    return await work(connected.connection, server);
  } catch (error) {
    throw asUnusable(url, error);
  } finally {
    await pool?.close({ timeout: 0 });
  }
}

/** UnusableDatabase for an error of the driver or the server; any other error unchanged. */
export function asUnusable(url: string, error: unknown): unknown {
  const isOfServer = error instanceof EngineBusy || isOfDriver(error);
  const translated = translate(error);
  if (isOfServer && translated instanceof Error)
    return new UnusableDatabase(
      `${nameOfServer(url)} cannot be used: ${translated.message.replace(/\.$/, "")}.`,
    );
  return translated;
}
