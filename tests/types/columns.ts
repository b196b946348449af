import { eq, type SQL, sql } from "drizzle-orm";
import { excluded, input, inputs, integerInput } from "../../db/expressions.ts";
import { accountCounts, accounts, contacts, meetings, organizations } from "../../db/schema.ts";
import * as plain from "../../db/statements.ts";
import type { AccountInput } from "../../src/accounts/resource.ts";
import { insert, remove, select, update } from "../../src/core/tenant/statements.ts";
import type { TenantSnapshot, TenantTransaction } from "../../src/core/tenant/transaction.ts";

/** Names of columns that do not compile, and the same that do. The functions are never called. */
const isAccount = eq(accounts.id, integerInput("id"));
const name = sql`'x'`;

export function inputsOfColumns() {
  inputs(accounts, "name", "foldedName", "mrr");
  // @ts-expect-error: a misspelled column.
  inputs(contacts, "emial");
  // @ts-expect-error: a column of another table.
  inputs(contacts, "mrr");
  // @ts-expect-error: the column's name in the database, not in the schema.
  inputs(contacts, "folded_email");
  // @ts-expect-error: a name among right ones.
  inputs(accounts, "name", "nmae");
}

const required = inputs(accounts, "name", "foldedName", "mrr", "status", "createdAt", "updatedAt");

export function valuesOfInsert() {
  insert("a", { into: accounts, values: required });
  insert("b", { into: accounts, values: { ...required, externalId: input("externalId"), mrr: sql`0` } });
  plain.insert("c", { into: accounts, values: { ...required, organizationId: input("organizationId") } });
  // @ts-expect-error: a misspelled column.
  insert("d", { into: accounts, values: { ...required, extrenalId: input("externalId") } });
  // @ts-expect-error: a column of another table.
  insert("e", { into: accounts, values: { ...required, email: input("email") } });
  // @ts-expect-error: required columns are missing.
  insert("f", { into: accounts, values: inputs(accounts, "name", "foldedName", "mrr", "status") });
  // @ts-expect-error: without a tenant, the organization is required.
  plain.insert("g", { into: accounts, values: required });
  const withoutEnd = inputs(
    meetings,
    "accountId",
    "title",
    "foldedTitle",
    "startAt",
    "createdAt",
    "updatedAt",
  );
  insert("h", { into: meetings, values: { ...withoutEnd, endAt: input("endAt") } });
  // @ts-expect-error: a column is misspelled, so that it is missing too.
  insert("h", { into: meetings, values: { ...withoutEnd, endsAt: input("endAt") } });
  // @ts-expect-error: a value that is not an input or SQL.
  insert("i", { into: accounts, values: { ...required, name: "Acme" } });
  // @ts-expect-error: rows of this table belong to no tenant.
  insert("j", { into: organizations, values: inputs(organizations, "name", "foldedName", "createdAt") });
}

const counted = { ...inputs(accountCounts, "status", "tier"), count: sql`1` };
const target = [accountCounts.organizationId, accountCounts.status];

export function setOfConflict() {
  const into = accountCounts;
  const set = { count: excluded(accountCounts.count) };
  insert("k", { into, values: counted, onConflict: { target, set } });
  insert("l", { into, values: counted, onConflict: { target } });
  // @ts-expect-error: a misspelled column.
  insert("m", { into, values: counted, onConflict: { target, set: { cuont: sql`1` } } });
  // @ts-expect-error: a column of another table.
  insert("n", { into, values: counted, onConflict: { target, set: { ...set, mrr: sql`1` } } });
  insert("n2", {
    into,
    values: counted,
    // @ts-expect-error: a column of another table, spread.
    onConflict: { target, set: { ...set, ...inputs(accounts, "mrr") } },
  });
  // @ts-expect-error: the columns of the constraint are columns, not names.
  insert("o", { into, values: counted, onConflict: { target: ["status"], set } });
}

export function setOfUpdate() {
  const table = accounts;
  update("p", { table, set: inputs(accounts, "name", "foldedName"), where: isAccount });
  update("q", { table, set: { name, externalId: sql`null` }, where: isAccount });
  // @ts-expect-error: a misspelled column.
  update("r", { table, set: { ...inputs(accounts, "name"), mmr: sql`0` }, where: isAccount });
  // @ts-expect-error: a column of another table.
  update("s", { table, set: inputs(contacts, "email"), where: isAccount });
  // @ts-expect-error: a misspelled column in an update of any table.
  plain.update("t", { table, set: { nmae: name }, where: isAccount });
  // @ts-expect-error: an update of every row.
  update("u", { table, set: inputs(accounts, "name") });
  // @ts-expect-error: a delete of every row.
  remove("v", { from: accounts });
  // @ts-expect-error: the condition may be none.
  remove("w", { from: accounts, where: undefined as SQL | undefined });
}

const rows = select("types.columns.rows", {
  fields: { id: accounts.id, externalId: accounts.externalId, total: sql<number>`count(*)` },
  from: accounts,
});

export async function rowsOfSelect(snapshot: TenantSnapshot, tx: TenantTransaction) {
  const row = await snapshot.first(rows, {});
  const known: { id: number; externalId: string | null; total: number } | undefined = row;
  // @ts-expect-error: no such field.
  row?.name;
  // @ts-expect-error: the column may be null.
  const text: string | undefined = row?.externalId;
  // @ts-expect-error: undefined cannot be bound.
  await snapshot.all(rows, { id: undefined });
  // @ts-expect-error: neither can a boolean.
  await tx.run(rows, { id: true });
  // @ts-expect-error: nor a Date.
  await tx.run(rows, { id: new Date(0) });
  // @ts-expect-error: a snapshot runs no changes.
  await snapshot.run(rows, {});
  // @ts-expect-error: only statements of tenants are run.
  await snapshot.first(plain.select("y", { fields: { id: accounts.id }, from: accounts }), {});
  const input: AccountInput = {};
  return { known, text, input };
}
