import { SQL } from "bun";
import { errorCode, UnusableDatabase } from "../errors.ts";
import { type Migration, unfinishedMessage, unfinishedTable } from "../migration.ts";
import type { ConnectionSettings } from "../storage.ts";
import { translate } from "./errors.ts";
import { canMigrate, migrate, migrationStates } from "./migrate.ts";

const connectSeconds = 5;
const pollMilliseconds = 1_000;
const maxWaitMilliseconds = 60_000;

export type PrepareOptions = {
  clock: () => number;
  /** Whether the schema is created in an empty database. */
  canCreate?: boolean;
  /** Whether pending migrations are applied, or awaited if the role may not apply them. Otherwise they are an error. */
  canMigrate?: boolean;
  /** Whether the database may be an unfinished copy. */
  canBeUnfinished?: boolean;
  /** Called after an upgrade, with the names of its migrations. */
  upgraded?: (names: string[], copy: undefined) => void;
  /** Called once when this process waits for another one to migrate. */
  onMigrationAwaited?: () => void;
  checkOrganizations?: ((foldedNames: string[]) => void) | undefined;
  connections?: Partial<ConnectionSettings>;
};

/** Checks that the database has the schema of this binary, after migrating it if allowed. Throws UnusableDatabase. */
export async function prepareSchema(
  url: string,
  migrations: readonly Migration[],
  options: PrepareOptions,
): Promise<void> {
  const started = performance.now();
  let isWaiting = false;
  for (;;) {
    const { prepare } = options.connections ?? {};
    const isReady = await withSql(url, (sql) => prepareOnce(sql, migrations, options), prepare);
    if (isReady) return;
    if (performance.now() - started > maxWaitMilliseconds)
      throw new UnusableDatabase(
        `The database has an older schema, and the role may not change it. Run accountd migrate as the owner of the tables.`,
      );
    if (!isWaiting) options.onMigrationAwaited?.();
    isWaiting = true;
    await Bun.sleep(pollMilliseconds);
  }
}

/** Returns false when another process has to migrate the database. */
async function prepareOnce(
  sql: SQL,
  migrations: readonly Migration[],
  options: PrepareOptions,
): Promise<boolean> {
  const states = await migrationStates(sql, migrations);
  const pending = states.filter(({ appliedAt }) => appliedAt === null).length;
  const isEmpty = pending === states.length;
  if (!options.canBeUnfinished && (await isUnfinished(sql))) throw new UnusableDatabase(unfinishedMessage);
  if (!isEmpty && options.checkOrganizations) options.checkOrganizations(await organizationNames(sql));
  if (pending === 0) return true;
  if (!(isEmpty ? options.canCreate || options.canMigrate : options.canMigrate))
    throw new UnusableDatabase(
      isEmpty
        ? `The database has no tables. Run accountd migrate.`
        : `The database has an older schema. Run accountd migrate.`,
    );
  if (!(await canMigrate(sql))) return false;
  const names = await migrate(sql, migrations, options.clock());
  if (!isEmpty && names.length > 0) options.upgraded?.(names, undefined);
  return true;
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

/** Runs `work` on a connection of its own; `prepare` as in `SessionOptions`. Throws UnusableDatabase for errors that the operator can fix. */
export async function withSql<T>(url: string, work: (sql: SQL) => Promise<T>, prepare = true): Promise<T> {
  const sql = new SQL({ url, max: 1, connectionTimeout: connectSeconds, prepare });
  try {
    return await work(sql);
  } catch (error) {
    throw asUnusable(url, error);
  } finally {
    await sql.close({ timeout: 0 });
  }
}

/** UnusableDatabase for an error of the driver or the server; any other error unchanged. */
export function asUnusable(url: string, error: unknown): unknown {
  const isOfServer = error instanceof Error && /^ERR_POSTGRES/.test(errorCode(error));
  const translated = translate(error);
  if (isOfServer && translated instanceof Error)
    return new UnusableDatabase(`${nameOf(url)} cannot be used: ${translated.message}.`);
  return translated;
}

/** The URL for messages and logs: without the password, also where it is a parameter. */
export function nameOf(url: string): string {
  if (!URL.canParse(url)) return "The PostgreSQL database";
  const { username, host, pathname } = new URL(url);
  return `postgres://${username === "" ? "" : `${username}@`}${host}${pathname}`;
}
