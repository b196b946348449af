import { and, eq, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { violatedUniqueIndex } from "../../db/errors.ts";
import type { Reader, Writer } from "../../db/sqlite/connection.ts";
import type { Engine } from "../../db/sqlite/engine.ts";
import type { Values } from "../../db/sqlite/prepared.ts";
import type { Row, SelectFields, Statement } from "../../db/statements.ts";
import * as statements from "../../db/statements.ts";
import { Problem, type ProblemCode, type ViolationCode } from "./errors.ts";

/** A table whose rows belong to organizations. */
export type TenantTable = SQLiteTable & { organizationId: SQLiteColumn };

/** A statement over an organization's own rows: only this module makes them, only a tenant runs them. */
export class TenantStatement<R> {
  readonly statement: Statement<R>;
  constructor(statement: Statement<R>) {
    this.statement = statement;
  }
}

/** The organization's rows of `from` that `where` finds. */
export function select<F extends SelectFields>(
  plan: statements.SelectPlan<F> & { from: TenantTable },
): TenantStatement<Row<F>> {
  return new TenantStatement(statements.select({ ...plan, where: ownedByTenant(plan.from, plan.where) }));
}

/** Inserts a row, which is the organization's. */
export function insert<F extends SelectFields>(
  plan: Parameters<typeof statements.insert<F>>[0] & { into: TenantTable },
): TenantStatement<Row<F>> {
  const values = { ...plan.values, ...statements.inputs("organizationId") };
  return new TenantStatement(statements.insert({ ...plan, values }));
}

/** Changes the organization's rows of `table` that `where` finds. */
export function update<F extends SelectFields>(
  plan: Parameters<typeof statements.update<F>>[0] & { table: TenantTable },
): TenantStatement<Row<F>> {
  return new TenantStatement(statements.update({ ...plan, where: ownedByTenant(plan.table, plan.where) }));
}

/** Removes the organization's rows of `from` that `where` finds. */
export function remove<F extends SelectFields>(
  plan: Parameters<typeof statements.remove<F>>[0] & { from: TenantTable },
): TenantStatement<Row<F>> {
  return new TenantStatement(statements.remove({ ...plan, where: ownedByTenant(plan.from, plan.where) }));
}

/** The organization's rows that hang on each selected row, as JSON text. See `jsonRows`. */
export function jsonArray<F extends Record<string, SQLiteColumn>>(
  plan: Omit<Parameters<typeof statements.jsonArray<F>>[0], "where"> & {
    from: TenantTable;
    where: SQL | undefined;
  },
): SQL<string> {
  return statements.jsonArray({ ...plan, where: ownedByTenant(plan.from, plan.where) });
}

/** A value of the organization's row that belongs to each selected row. See `oneValue`. */
export function scalarSubquery<T>(plan: {
  value: SQLiteColumn;
  from: TenantTable;
  where: SQL | undefined;
}): SQL<T> {
  return statements.scalarSubquery<T>({ ...plan, where: ownedByTenant(plan.from, plan.where) });
}

/** The condition that a row is one of those that `where` finds, which are looked for first. */
export function inSubquery(plan: { from: TenantTable; key: SQLiteColumn; where: SQL | undefined }): SQL {
  const { from, key } = plan;
  return sql`${key} in (select ${key} from ${from} where ${ownedByTenant(from, plan.where)})`;
}

/** Runs statements over one organization's rows: the organization is an input of each. */
export class TenantSnapshot {
  readonly #reader: Reader;
  readonly #organizationId: number;

  constructor(reader: Reader, organizationId: number) {
    this.#reader = reader;
    this.#organizationId = organizationId;
  }

  first<R>({ statement }: TenantStatement<R>, values: Values): Promise<R | undefined> {
    return this.#reader.first(statement, { ...values, organizationId: this.#organizationId });
  }

  all<R>({ statement }: TenantStatement<R>, values: Values): Promise<R[]> {
    return this.#reader.all(statement, { ...values, organizationId: this.#organizationId });
  }
}

/** The same, in a transaction that changes them. */
export class TenantTransaction extends TenantSnapshot {
  readonly #writer: Writer;
  readonly #organizationId: number;

  constructor(writer: Writer, organizationId: number) {
    super(writer, organizationId);
    this.#writer = writer;
    this.#organizationId = organizationId;
  }

  /** Runs a statement for its effect; resolves with the number of rows that it inserted, changed or removed. */
  run({ statement }: TenantStatement<unknown>, values: Values): Promise<number> {
    return this.#writer.run(statement, { ...values, organizationId: this.#organizationId });
  }

  /** Inserts a row; resolves with its id. */
  insert({ statement }: TenantStatement<unknown>, values: Values): Promise<number> {
    return this.#writer.insert(statement, { ...values, organizationId: this.#organizationId });
  }

  /** Lets requests that read go on, in the midst of a long change. */
  pause(): Promise<void> {
    return this.#writer.pause();
  }
}

const latestOf = new WeakMap<Engine, number>();

/** One organization in one request: the only way to its rows, and the moment at which it asks. */
export class Tenant {
  readonly organizationId: number;
  /** Milliseconds since 1970 UTC, the same for the whole request. */
  readonly now: number;
  /** What is committed. */
  readonly rows: TenantSnapshot;
  readonly #engine: Engine;

  /** The latest moment at which anyone has asked: nothing is stored of a later one. */
  get latest(): number {
    return latestOf.get(this.#engine) ?? this.now;
  }

  /** The same for every tenant of a database: a key for what the process remembers of it. */
  get database(): object {
    return this.#engine;
  }

  constructor(engine: Engine, organizationId: number, now: number) {
    latestOf.set(engine, Math.max(now, latestOf.get(engine) ?? now));
    this.organizationId = organizationId;
    this.now = now;
    this.rows = new TenantSnapshot(engine, organizationId);
    this.#engine = engine;
  }

  /**
   * Runs `work` in a transaction and resolves when it is on the disk. `work` awaits nothing but its own
   * statements and pauses. Throws what `work` throws, and a Problem when it would break a unique index.
   */
  async write<T>(work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    try {
      return await this.#engine.write((writer) => work(new TenantTransaction(writer, this.organizationId)));
    } catch (error) {
      throw conflictOf(error) ?? error;
    }
  }
}

type UniqueConflict = { code: ProblemCode & ViolationCode; pointer: string; advice?: string; detail: string };

/** The unique indexes that a caller's own values can break. */
const conflicts: Record<string, UniqueConflict> = {
  ...externalIdOf("account"),
  ...externalIdOf("contact"),
  ...externalIdOf("meeting"),
  ...externalIdOf("request"),
  "contacts.organization_id, contacts.account_id, contacts.folded_email": {
    code: "contact_email_conflict",
    pointer: "/email",
    detail: "is in use by another contact of the account",
  },
};

function externalIdOf(noun: string): Record<string, UniqueConflict> {
  return {
    [`${noun}s.organization_id, ${noun}s.external_id`]: {
      code: "external_id_conflict",
      pointer: "/externalId",
      advice: `Use another externalId, or update the ${noun} that has this one.`,
      detail: `is in use by another ${noun}`,
    },
  };
}

function conflictOf(error: unknown): Problem | undefined {
  const conflict = conflicts[violatedUniqueIndex(error) ?? ""];
  if (!conflict) return undefined;
  const { code, pointer, advice, detail } = conflict;
  return new Problem(code, { errors: [{ pointer, code, detail }], ...(advice && { detail: advice }) });
}

function ownedByTenant(table: TenantTable, where: SQL | undefined): SQL {
  // Safe: `and` answers undefined only when it is given no condition, and it is given one.
  return and(eq(table.organizationId, statements.integerInput("organizationId")), where) as SQL;
}
