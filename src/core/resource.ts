import { eq, getTableName } from "drizzle-orm";
import type { Value } from "../../db/engine.ts";
import { UniqueViolation } from "../../db/errors.ts";
import { type Column, type ColumnName, input, integerInput, textInput } from "../../db/expressions.ts";
import type { accounts, contacts, featureRequests, meetings } from "../../db/schema.ts";
import { defineFamily } from "../../db/statements.ts";
import type { ResourceChange, ResourceRows, ResourceType } from "./changes.ts";
import { Problem, type ProblemCode, type ViolationCode } from "./errors.ts";
import { fold } from "./folding.ts";
import type { TenantSnapshot, TenantTransaction } from "./tenant.ts";
import { insert, remove, select, type TenantStatement, update } from "./tenant-statements.ts";

type Tables = {
  account: typeof accounts;
  contact: typeof contacts;
  meeting: typeof meetings;
  request: typeof featureRequests;
};
/** What every resource has besides its own columns. */
type CommonColumn = "id" | "accountId" | "externalId" | "createdAt" | "updatedAt";
type Columns = Record<string, Value>;
/** The column that a folded copy is made from: `name` of `foldedName`. */
type SourceOf<K extends string> = K extends `folded${infer Source}` ? Uncapitalize<Source> : never;

/** A unique constraint that callers' values can violate, and the problem that they get. */
export type Conflict = {
  columns: readonly Column[];
  code: ProblemCode & ViolationCode;
  field: string;
  detail: string;
  advice?: string;
};

/** A kind of row that callers create, read, update and delete, declared once. */
export type ResourceDefinition<T extends ResourceType, Input> = {
  type: T;
  table: Tables[T];
  /** The columns that are read and shown: all of the table that are not derived or internal. */
  fields: { [K in keyof ResourceRows[T]]: K extends keyof Tables[T] ? Tables[T][K] : never };
  /** Case-folded copies, for search and order, and the columns that they are made from. */
  folded: { [K in Extract<ColumnName<Tables[T]>, `folded${string}`>]: SourceOf<K> };
  /**
   * The row's own columns: `input` applied to `existing`, or to the defaults of a new row. Throws a Problem for
   * input that breaks a rule.
   */
  columnsOf(
    input: Partial<Input>,
    existing: ResourceRows[T] | undefined,
    now: number,
  ): Omit<ResourceRows[T], CommonColumn>;
  conflicts: readonly Conflict[];
};
export type ResourceInput = { externalId?: string | null };

/** Reads and changes the rows of a resource. Every change is recorded and followed by its reactions. */
export type Resource<T extends ResourceType, Input> = {
  find(snapshot: TenantSnapshot, id: number): Promise<ResourceRows[T] | undefined>;
  findByExternalId(snapshot: TenantSnapshot, externalId: string): Promise<ResourceRows[T] | undefined>;
  /** Throws `not_found`. */
  get(snapshot: TenantSnapshot, id: number): Promise<ResourceRows[T]>;
  /** Throws `not_found`. */
  getByExternalId(snapshot: TenantSnapshot, externalId: string): Promise<ResourceRows[T]>;
  /** Inserts a row; `accountId` is that of a sub-resource. */
  insert(tx: TenantTransaction, input: Partial<Input>, accountId?: number): Promise<ResourceRows[T]>;
  /** Updates the columns that differ. When none does, nothing changes, `updatedAt` included. */
  applyChanges(
    tx: TenantTransaction,
    existing: ResourceRows[T],
    input: Partial<Input>,
    accountId?: number,
  ): Promise<ResourceRows[T]>;
  remove(tx: TenantTransaction, existing: ResourceRows[T]): Promise<void>;
};

export function defineResource<T extends ResourceType, Input extends ResourceInput>(
  definition: ResourceDefinition<T, Input>,
): Resource<T, Input> {
  type Row = ResourceRows[T];
  const { type } = definition;
  const store = rowStore(definition);

  async function insert(tx: TenantTransaction, input: Partial<Input>, accountId?: number): Promise<Row> {
    const { now } = tx;
    const row = await store.insert(tx, {
      ...(accountId !== undefined && { accountId }),
      externalId: input.externalId || null,
      // Safe: the values of columns.
      ...(definition.columnsOf(input, undefined, now) as unknown as Columns),
      createdAt: now,
      updatedAt: now,
    });
    await tx.changed(change({ action: "created", before: null, after: row }));
    return row;
  }

  async function applyChanges(
    tx: TenantTransaction,
    existing: Row,
    input: Partial<Input>,
    accountId?: number,
  ): Promise<Row> {
    const { now } = tx;
    const before = asColumns(existing);
    const after: Columns = { ...before, ...definition.columnsOf(input, existing, now) };
    if (input.externalId !== undefined) after.externalId = input.externalId || null;
    if (accountId !== undefined) after.accountId = accountId;
    const changed = Object.keys(before).filter((name) => before[name] !== after[name]);
    if (changed.length === 0) return existing;
    after.updatedAt = Math.max(now, existing.updatedAt + 1);
    changed.push("updatedAt");
    await store.update(tx, after, changed);
    // Safe: it has the members of the existing row.
    const row = after as unknown as Row;
    await tx.changed(change({ action: "updated", before: existing, after: row, changed }));
    return row;
  }

  function change(sides: { action: string; before: Row | null; after: Row | null; changed?: string[] }) {
    const { id, accountId = id } = asColumns(sides.before ?? sides.after);
    // Safe: each action comes with the sides that its type has.
    return { resource: type, id, accountId, ...sides } as unknown as ResourceChange;
  }

  return {
    find: (snapshot, id) => snapshot.first(store.byId, { id }),
    findByExternalId: (snapshot, externalId) => snapshot.first(store.byExternalId, { externalId }),
    get: async (snapshot, id) => (await snapshot.first(store.byId, { id })) ?? notFound(type, "id"),
    getByExternalId: async (snapshot, externalId) =>
      (await snapshot.first(store.byExternalId, { externalId })) ?? notFound(type, "externalId"),
    insert,
    applyChanges,
    async remove(tx, existing) {
      await tx.changed(change({ action: "deleted", before: existing, after: null }));
      await tx.run(store.remove, { id: existing.id });
    },
  };
}

/** The conflict of a resource's external id. */
export function externalIdConflict(noun: ResourceType, table: Tables[ResourceType]): Conflict {
  return {
    columns: [table.organizationId, table.externalId],
    code: "external_id_conflict",
    field: "externalId",
    detail: `is in use by another ${noun}`,
    advice: `Use another externalId, or update the ${noun} that has this one.`,
  };
}

/** The same problem for a row that does not exist and for one of another organization. */
export function notFound(type: ResourceType, member: "id" | "externalId"): never {
  throw new Problem("not_found", {
    detail: `There is no ${type} with this ${member} in your organization.`,
  });
}

/** The statements of a resource, and its unique constraints as problems. */
function rowStore<T extends ResourceType, Input>(definition: ResourceDefinition<T, Input>) {
  const { table, fields, conflicts } = definition;
  const name = getTableName(table);
  // Safe: each is a column of the table.
  const columns = fields as Record<string, Column>;
  const foldedOf = Object.entries<string>(definition.folded);
  const byId = eq(table.id, integerInput("id"));
  const written = Object.keys(columns).filter((column) => column !== "id");
  const constraints = new Map(conflicts.map((conflict) => [constraintOf(conflict.columns), conflict]));
  const insertRow = insert(`${name}.insert`, {
    into: table,
    // Safe: `fields` and `folded` name every column that has no default.
    values: assignments([...written, ...foldedOf.map(([folded]) => folded)]) as never,
  });
  const updates = new Map<string, TenantStatement<unknown>>();
  defineFamily(`${name}.update`, (variant) => buildUpdate(variant));

  /** Sets the changed columns only: SQLite writes the indexes of every column in SET, also for equal values. */
  function buildUpdate(variant: string): TenantStatement<unknown> {
    const set = assignments(variant.split("+"));
    // Safe: the variant is made from names of columns.
    const statement = update(`${name}.update/${variant}`, { table, set: set as never, where: byId });
    updates.set(variant, statement);
    return statement;
  }

  async function guarded<R>(run: Promise<R>): Promise<R> {
    try {
      return await run;
    } catch (error) {
      const conflict = error instanceof UniqueViolation ? constraints.get(error.constraint) : undefined;
      throw conflict ? conflictProblem(conflict) : error;
    }
  }

  function foldedValues(row: Columns): Columns {
    const values: Columns = {};
    for (const [folded, source] of foldedOf) {
      const text = row[source];
      values[folded] = typeof text === "string" ? fold(text) : null;
    }
    return values;
  }

  return {
    byId: select(`${name}.byId`, { fields: columns, from: table, where: byId }) as TenantStatement<
      ResourceRows[T]
    >,
    byExternalId: select(`${name}.byExternalId`, {
      fields: columns,
      from: table,
      where: eq(table.externalId, textInput("externalId")),
    }) as TenantStatement<ResourceRows[T]>,
    remove: remove(`${name}.delete`, { from: table, where: byId }),

    async insert(tx: TenantTransaction, values: Columns): Promise<ResourceRows[T]> {
      const id = await guarded(tx.insert(insertRow, { ...values, ...foldedValues(values) }));
      // Safe: the values are those of the row's columns.
      return { id, ...values } as unknown as ResourceRows[T];
    },

    async update(tx: TenantTransaction, row: Columns, changed: readonly string[]): Promise<void> {
      const folded = foldedOf.flatMap(([name, source]) => (changed.includes(source) ? name : []));
      const variant = [...changed, ...folded].join("+");
      await guarded(tx.run(updates.get(variant) ?? buildUpdate(variant), { ...row, ...foldedValues(row) }));
    },
  };
}

function assignments(columns: readonly string[]) {
  return Object.fromEntries(columns.map((name) => [name, input(name)]));
}

/** A constraint's name as UniqueViolation has it. */
function constraintOf(columns: readonly Column[]): string {
  return columns.map((column) => `${getTableName(column.table)}.${column.name}`).join(", ");
}

function conflictProblem({ code, field, detail, advice }: Conflict): Problem {
  return new Problem(code, {
    errors: [{ pointer: `/${field}`, code, detail }],
    ...(advice && { detail: advice }),
  });
}

function asColumns(row: object | null): Record<string, Value> & { id: number; accountId?: number } {
  // Safe: a row's members are columns, the id among them.
  return row as Record<string, Value> & { id: number };
}
