import { eq } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Value } from "../../db/sqlite/prepared.ts";
import { type Fields, inputs, integerInput, type Row, textInput } from "../../db/statements.ts";
import { type AccountReference, requireAccount } from "../accounts/reference.ts";
import { Problem } from "./errors.ts";
import type { OwnTable, OwnWriter, Tenant } from "./tenant.ts";
import { insert, remove, select, update } from "./tenant.ts";

/** A row that hangs on an account, as it is read: every column that a reply shows, and those that rules need. */
export type ChildRow = { id: number; accountId: number; externalId: string | null } & {
  createdAt: number;
  updatedAt: number;
} & Record<string, Value>;
type ChildTable = OwnTable & Record<"id" | "accountId" | "externalId", SQLiteColumn>;

/** One kind of thing that hangs on accounts: a contact, a meeting, a request. */
export type ChildPlan<F extends Fields, Members> = {
  /** Its name in sentences. */
  noun: string;
  table: ChildTable;
  /** What is read of a row: all of `ChildRow` among it. */
  fields: F;
  /** The columns that callers' members become, beside the account, the external id and the times. */
  columns: string[];
  /** The members without which there is no new row. */
  required: readonly (keyof Members & string)[];
  /** The columns for what is given, laid over what is stored (undefined: a new row). Throws what is refused. */
  columnsOf(given: Partial<Members>, before: Row<F> | undefined, now: number): Record<string, Value>;
  /** Called in the transaction of each change, with the account that it concerns. */
  changed?(rows: OwnWriter, accountId: number): Promise<void>;
};
export type ChildMembers = { externalId?: string | null };
export type Upserted<R> = { row: R; created: boolean };

/**
 * The operations on one kind of thing that hangs on accounts. All throw `not_found` for what the
 * organization does not have, and `external_id_conflict`; changes also what the plan's rules throw.
 */
export function childStore<F extends Fields, Members extends ChildMembers>(plan: ChildPlan<F, Members>) {
  const { noun, table, fields, columns } = plan;
  const byId = eq(table.id, integerInput("id"));
  const rowById = select({ fields, from: table, where: byId });
  const rowByExternalId = select({
    fields,
    from: table,
    where: eq(table.externalId, textInput("externalId")),
  });
  const written = inputs("accountId", "externalId", ...columns, "updatedAt");
  const insertRow = insert({
    into: table,
    values: { ...written, ...inputs("createdAt") },
  });
  const updateRow = update({ table, set: written, where: byId, returning: fields });
  const removeRow = remove({ from: table, where: byId });

  /** Adds a row to an account, within the caller's transaction. */
  async function add(
    rows: OwnWriter,
    accountId: number,
    given: Partial<Members>,
    now: number,
  ): Promise<Row<F>> {
    const columns = plan.columnsOf(given, undefined, now);
    const externalId = given.externalId || null;
    const values = { accountId, externalId, ...columns, createdAt: now, updatedAt: now };
    const row: ChildRow = { ...values, id: await rows.insert(insertRow, values) };
    await plan.changed?.(rows, accountId);
    // Safe: a column that was not written is null.
    return pick(row, Object.keys(fields)) as Row<F>;
  }

  /** Lays what is given over a stored row; when nothing differs, nothing changes, `updatedAt` included. */
  async function lay(
    rows: OwnWriter,
    stored: Row<F>,
    given: Partial<Members>,
    accountId: number | undefined,
    now: number,
  ): Promise<Row<F>> {
    const before = asChild(stored);
    const after: ChildRow = { ...before, ...plan.columnsOf(given, stored, now) };
    if (accountId !== undefined) after.accountId = accountId;
    if (given.externalId !== undefined) after.externalId = given.externalId || null;
    if (Object.keys(before).every((name) => before[name] === after[name])) return stored;
    after.updatedAt = Math.max(now, before.updatedAt + 1);
    const row = await rows.first(updateRow, pick(after, Object.keys(written).concat("id")));
    for (const account of new Set([before.accountId, after.accountId])) await plan.changed?.(rows, account);
    return row ?? missing();
  }

  return {
    add,

    async get(tenant: Tenant, id: number): Promise<Row<F>> {
      return (await tenant.rows.first(rowById, { id })) ?? missing();
    },

    async getByExternalId(tenant: Tenant, externalId: string): Promise<Row<F>> {
      return (await tenant.rows.first(rowByExternalId, { externalId })) ?? missing("externalId");
    },

    create(tenant: Tenant, accountId: number, given: Members): Promise<Row<F>> {
      return tenant.write(async (rows) => {
        await requireAccount(rows, { accountId });
        return add(rows, accountId, given, tenant.now);
      });
    },

    /** Changes the members that are given. Throws `no_valid_fields` when none is. */
    async change(tenant: Tenant, id: number, given: Partial<Members>): Promise<Row<F>> {
      if (Object.keys(given).length === 0) throw new Problem("no_valid_fields");
      return tenant.write(async (rows) =>
        lay(rows, (await rows.first(rowById, { id })) ?? missing(), given, undefined, tenant.now),
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
      return tenant.write(async (rows) => {
        const account = isNamed ? await requireAccount(rows, { accountId, accountExternalId }) : undefined;
        const stored = await rows.first(rowByExternalId, { externalId });
        if (stored) return { row: await lay(rows, stored, given, account, tenant.now), created: false };
        const absent = plan.required.filter((name) => given[name] === undefined);
        if (account === undefined || absent.length > 0) throw required(account, absent);
        return { row: await add(rows, account, given, tenant.now), created: true };
      });
    },

    remove(tenant: Tenant, id: number): Promise<void> {
      return tenant.write(async (rows) => take(rows, (await rows.first(rowById, { id })) ?? missing()));
    },

    removeByExternalId(tenant: Tenant, externalId: string): Promise<void> {
      return tenant.write(async (rows) =>
        take(rows, (await rows.first(rowByExternalId, { externalId })) ?? missing("externalId")),
      );
    },
  };

  async function take(rows: OwnWriter, stored: Row<F>): Promise<void> {
    const { id, accountId } = asChild(stored);
    await rows.run(removeRow, { id });
    await plan.changed?.(rows, accountId);
  }

  function missing(name = "id"): never {
    throw new Problem("not_found", { detail: `There is no ${noun} with this ${name} in your organization.` });
  }
}

function required(account: number | undefined, absent: readonly string[]): Problem {
  const errors = absent.map((name) => ({ pointer: `/${name}`, code: "required", detail: "is required" }));
  if (account === undefined)
    errors.unshift({ pointer: "/accountId", code: "required", detail: "or accountExternalId is required" });
  return new Problem("invalid_request", { errors });
}

function asChild(row: unknown): ChildRow {
  // Safe: a plan's fields have the columns of a ChildRow.
  return row as ChildRow;
}

function pick(row: ChildRow, names: string[]): Record<string, Value> {
  return Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
}
