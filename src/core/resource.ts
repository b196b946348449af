import { eq } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Value } from "../../db/sqlite/prepared.ts";
import { inputs, integerInput, type Row, type SelectFields, textInput } from "../../db/statements.ts";
import { type AccountReference, requireAccount } from "../accounts/reference.ts";
import { type FieldViolation, Problem } from "./errors.ts";
import type { Tenant, TenantTable, TenantTransaction } from "./tenant.ts";
import { insert, remove, select, update } from "./tenant.ts";

/** A row that hangs on an account, as it is read: every column that a reply shows, and those that rules need. */
export type ResourceRow = { id: number; accountId: number; externalId: string | null } & {
  createdAt: number;
  updatedAt: number;
} & Record<string, Value>;
type ResourceTable = TenantTable & Record<"id" | "accountId" | "externalId", SQLiteColumn>;

/** One kind of thing that hangs on accounts: a contact, a meeting, a request. */
export type ResourceDefinition<F extends SelectFields, Members> = {
  /** Its name in sentences. */
  noun: string;
  table: ResourceTable;
  /** What is read of a row: all of `ChildRow` among it. */
  fields: F;
  /** The columns that callers' members become, beside the account, the external id and the times. */
  columns: string[];
  /** The members without which there is no new row. */
  required: readonly (keyof Members & string)[];
  /** The columns for what is given, laid over what is stored (undefined: a new row). Throws what is refused. */
  columnsOf(given: Partial<Members>, before: Row<F> | undefined, now: number): Record<string, Value>;
  /** Called in the transaction of each change, with the account that it concerns. */
  changed?(tx: TenantTransaction, accountId: number): Promise<void>;
};
export type ResourceInput = { externalId?: string | null };
export type Upserted<R> = { row: R; created: boolean };

/**
 * The operations on one kind of thing that hangs on accounts. All throw `not_found` for what the
 * organization does not have, and `external_id_conflict`; changes also what the plan's rules throw.
 */
export function defineResource<F extends SelectFields, Members extends ResourceInput>(
  plan: ResourceDefinition<F, Members>,
) {
  const { noun, table, fields, columns } = plan;
  const byId = eq(table.id, integerInput("id"));
  const rowById = select({ fields, from: table, where: byId });
  const rowByExternalId = select({
    fields,
    from: table,
    where: eq(table.externalId, textInput("externalId")),
  });
  const written = inputs("accountId", "externalId", ...columns, "updatedAt");
  const insertStatement = insert({
    into: table,
    values: { ...written, ...inputs("createdAt") },
  });
  const updateRow = update({ table, set: written, where: byId, returning: fields });
  const removeRow = remove({ from: table, where: byId });

  /** Adds a row to an account, within the caller's transaction. */
  async function insertRow(
    tx: TenantTransaction,
    accountId: number,
    given: Partial<Members>,
    now: number,
  ): Promise<Row<F>> {
    const columns = plan.columnsOf(given, undefined, now);
    const externalId = given.externalId || null;
    const values = { accountId, externalId, ...columns, createdAt: now, updatedAt: now };
    const row: ResourceRow = { ...values, id: await tx.insert(insertStatement, values) };
    await plan.changed?.(tx, accountId);
    // Safe: a column that was not written is null.
    return pick(row, Object.keys(fields)) as Row<F>;
  }

  /** Lays what is given over a stored row; when nothing differs, nothing changes, `updatedAt` included. */
  async function applyChanges(
    tx: TenantTransaction,
    stored: Row<F>,
    given: Partial<Members>,
    accountId: number | undefined,
    now: number,
  ): Promise<Row<F>> {
    const before = asResourceRow(stored);
    const after: ResourceRow = { ...before, ...plan.columnsOf(given, stored, now) };
    if (accountId !== undefined) after.accountId = accountId;
    if (given.externalId !== undefined) after.externalId = given.externalId || null;
    if (Object.keys(before).every((name) => before[name] === after[name])) return stored;
    after.updatedAt = Math.max(now, before.updatedAt + 1);
    const row = await tx.first(updateRow, pick(after, Object.keys(written).concat("id")));
    for (const account of new Set([before.accountId, after.accountId])) await plan.changed?.(tx, account);
    return row ?? notFound();
  }

  return {
    add: insertRow,

    async get(tenant: Tenant, id: number): Promise<Row<F>> {
      return (await tenant.rows.first(rowById, { id })) ?? notFound();
    },

    async getByExternalId(tenant: Tenant, externalId: string): Promise<Row<F>> {
      return (await tenant.rows.first(rowByExternalId, { externalId })) ?? notFound("externalId");
    },

    create(tenant: Tenant, accountId: number, given: Members): Promise<Row<F>> {
      return tenant.write(async (tx) => {
        await requireAccount(tx, { accountId });
        return insertRow(tx, accountId, given, tenant.now);
      });
    },

    /** Changes the members that are given. Throws `no_valid_fields` when none is. */
    async change(tenant: Tenant, id: number, given: Partial<Members>): Promise<Row<F>> {
      if (Object.keys(given).length === 0) throw new Problem("no_valid_fields");
      return tenant.write(async (tx) =>
        applyChanges(tx, (await tx.first(rowById, { id })) ?? notFound(), given, undefined, tenant.now),
      );
    },

    /**
     * Creates the row with this external id, or changes it: members that are not given are left, and take
     * their defaults in a new row, which needs those that a create requires, and an account.
     */
    async put(
      tenant: Tenant,
      externalId: string,
      { accountId, accountExternalId, ...members }: Partial<Members> & AccountReference,
    ): Promise<Upserted<Row<F>>> {
      // Safe: what is left without the account's two are the members.
      const given = { ...members, externalId } as unknown as Partial<Members>;
      const isNamed = accountId !== undefined || accountExternalId !== undefined;
      return tenant.write(async (tx) => {
        const account = isNamed ? await requireAccount(tx, { accountId, accountExternalId }) : undefined;
        const stored = await tx.first(rowByExternalId, { externalId });
        if (stored)
          return { row: await applyChanges(tx, stored, given, account, tenant.now), created: false };
        const absent = plan.required.filter((name) => given[name] === undefined);
        if (account === undefined || absent.length > 0) throw missingMembers(account, absent);
        return { row: await insertRow(tx, account, given, tenant.now), created: true };
      });
    },

    remove(tenant: Tenant, id: number): Promise<void> {
      return tenant.write(async (tx) => deleteRow(tx, (await tx.first(rowById, { id })) ?? notFound()));
    },

    removeByExternalId(tenant: Tenant, externalId: string): Promise<void> {
      return tenant.write(async (tx) =>
        deleteRow(tx, (await tx.first(rowByExternalId, { externalId })) ?? notFound("externalId")),
      );
    },
  };

  async function deleteRow(tx: TenantTransaction, stored: Row<F>): Promise<void> {
    const { id, accountId } = asResourceRow(stored);
    await tx.run(removeRow, { id });
    await plan.changed?.(tx, accountId);
  }

  function notFound(name = "id"): never {
    throw new Problem("not_found", { detail: `There is no ${noun} with this ${name} in your organization.` });
  }
}

function missingMembers(account: number | undefined, absent: readonly string[]): Problem {
  const errors = absent.map(
    (name): FieldViolation => ({ pointer: `/${name}`, code: "required", detail: "is required" }),
  );
  if (account === undefined)
    errors.unshift({ pointer: "/accountId", code: "required", detail: "or accountExternalId is required" });
  return new Problem("invalid_request", { errors });
}

function asResourceRow(row: unknown): ResourceRow {
  // Safe: a plan's fields have the columns of a ChildRow.
  return row as ResourceRow;
}

function pick(row: ResourceRow, names: string[]): Record<string, Value> {
  return Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
}
