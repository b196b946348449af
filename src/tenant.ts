import { and, eq, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Reader } from "../db/connection.ts";
import { brokenUniqueIndex } from "../db/errors.ts";
import type { Engine } from "../db/open.ts";
import type { Fields, Row, Statement, Values } from "../db/statements.ts";
import * as statements from "../db/statements.ts";
import { Problem, type ProblemCode } from "./errors.ts";

/** A table whose rows belong to organizations. */
export type OwnTable = SQLiteTable & { organizationId: SQLiteColumn };

/** A statement over an organization's own rows: only this module makes them, only a tenant runs them. */
export class OwnStatement<R> {
  readonly statement: Statement<R>;
  constructor(statement: Statement<R>) {
    this.statement = statement;
  }
}

/** The organization's rows of `from` that `where` finds. */
export function select<F extends Fields>(
  plan: statements.Selection<F> & { from: OwnTable },
): OwnStatement<Row<F>> {
  return new OwnStatement(statements.select({ ...plan, where: own(plan.from, plan.where) }));
}

/** Inserts a row, which is the organization's. */
export function insert<F extends Fields>(
  plan: Parameters<typeof statements.insert<F>>[0] & { into: OwnTable },
): OwnStatement<Row<F>> {
  const values = { ...plan.values, ...statements.inputs("organizationId") };
  return new OwnStatement(statements.insert({ ...plan, values }));
}

/** Changes the organization's rows of `table` that `where` finds. */
export function update<F extends Fields>(
  plan: Parameters<typeof statements.update<F>>[0] & { table: OwnTable },
): OwnStatement<Row<F>> {
  return new OwnStatement(statements.update({ ...plan, where: own(plan.table, plan.where) }));
}

/** The organization's rows that hang on each selected row, as JSON text. See `jsonRows`. */
export function jsonRows<F extends Record<string, SQLiteColumn>>(
  plan: Omit<Parameters<typeof statements.jsonRows<F>>[0], "where"> & {
    from: OwnTable;
    where: SQL | undefined;
  },
): SQL<string> {
  return statements.jsonRows({ ...plan, where: own(plan.from, plan.where) });
}

/** The condition that a row is one of those that `where` finds, which are looked for first. */
export function idsOf(plan: { from: OwnTable & { id: SQLiteColumn }; where: SQL | undefined }): SQL {
  const { from } = plan;
  return sql`${from.id} in (select ${from.id} from ${from} where ${own(from, plan.where)})`;
}

/** Runs statements over one organization's rows: the organization is an input of each. */
export class OwnRows {
  readonly #reader: Reader;
  readonly #organizationId: number;

  constructor(reader: Reader, organizationId: number) {
    this.#reader = reader;
    this.#organizationId = organizationId;
  }

  first<R>({ statement }: OwnStatement<R>, values: Values): Promise<R | undefined> {
    return this.#reader.first(statement, { ...values, organizationId: this.#organizationId });
  }

  all<R>({ statement }: OwnStatement<R>, values: Values): Promise<R[]> {
    return this.#reader.all(statement, { ...values, organizationId: this.#organizationId });
  }
}

/** One organization in one request: the only way to its rows, and the moment at which it asks. */
export class Tenant {
  readonly organizationId: number;
  /** Milliseconds since 1970 UTC, the same for the whole request. */
  readonly now: number;
  /** What is committed. */
  readonly rows: OwnRows;
  readonly #engine: Engine;

  constructor(engine: Engine, organizationId: number, now: number) {
    this.organizationId = organizationId;
    this.now = now;
    this.rows = new OwnRows(engine, organizationId);
    this.#engine = engine;
  }

  /**
   * Runs `work` in a transaction and resolves when it is on the disk. `work` awaits nothing but its own
   * statements. Throws what `work` throws, and a Problem when it would break a unique index.
   */
  async write<T>(work: (rows: OwnRows) => Promise<T>): Promise<T> {
    try {
      return await this.#engine.write((writer) => work(new OwnRows(writer, this.organizationId)));
    } catch (error) {
      throw conflictOf(error) ?? error;
    }
  }
}

/** The unique indexes that a caller's own values can break. */
const conflicts: Record<string, { code: ProblemCode; pointer: string }> = {
  "accounts.organization_id, accounts.external_id": { code: "external_id_conflict", pointer: "/externalId" },
};

function conflictOf(error: unknown): Problem | undefined {
  const conflict = conflicts[brokenUniqueIndex(error) ?? ""];
  if (!conflict) return undefined;
  const { code, pointer } = conflict;
  return new Problem(code, { errors: [{ pointer, code, detail: "is in use by another account" }] });
}

function own(table: OwnTable, where: SQL | undefined): SQL {
  // Safe: `and` answers undefined only when it is given no condition, and it is given one.
  return and(eq(table.organizationId, statements.integerInput("organizationId")), where) as SQL;
}
