import { eq, isNull, sql } from "drizzle-orm";
import {
  allOf,
  type Column,
  contains,
  inputs,
  integerInput,
  isInJson,
  pick,
  sumOf,
  textInput,
} from "../../db/expressions.ts";
import { type AccountStatus, accountCounts, accounts, UNSCORED } from "../../db/schema.ts";
import type { Sides } from "../core/changes/changes.ts";
import { countedValues, type StoredTotal } from "../core/lists/definition.ts";
import { aggregateOf, insert, select, update } from "../core/tenant/statements.ts";
import type { TenantSnapshot, TenantTransaction } from "../core/tenant/transaction.ts";
import type { HealthTier } from "../shared/fields/tiers.ts";

const { count } = accountCounts;
/** No value has a quotation mark. For SQLite, reading the list as JSON costs more than a page of a list. */
const isAnyOf = (column: Column, name: string) =>
  sql`(${isNull(textInput(name))} or ${contains(textInput(name), sql`'"' || ${column} || '"'`)})`;
const sum = sql<number>`cast(coalesce(sum(${count}), 0) as bigint)`;
const counted = {
  from: accountCounts,
  where: allOf(isAnyOf(accountCounts.status, "counted_status"), isAnyOf(accountCounts.tier, "counted_tier")),
};
/** The stored number of the organization's accounts, of lists with filters by status and tier. */
export const accountTotal: StoredTotal = {
  filters: ["status", "tier"],
  subquery: aggregateOf(sum, counted),
  statement: select("accountCounts.total", { ...counted, fields: { count: sum } }),
};
const storedAccounts = select("accountCounts.accounts", {
  fields: pick(accounts, "id", "status", "tier"),
  from: accounts,
  where: isInJson(accounts.id, textInput("accountIds")),
});
const addToCount = insert("accountCounts.add", {
  into: accountCounts,
  values: { ...inputs(accountCounts, "status", "tier"), count: integerInput("added") },
  onConflict: {
    target: [accountCounts.organizationId, accountCounts.status, accountCounts.tier],
    set: { count: sumOf(count) },
  },
});
/** The CHECK of the table rejects an upsert of a negative number. */
const reduceCount = update("accountCounts.reduce", {
  table: accountCounts,
  set: { count: sql`${count} + ${integerInput("added")}` },
  where: allOf(eq(accountCounts.status, textInput("status")), eq(accountCounts.tier, textInput("tier"))),
  key: ["status", "tier"],
});

/** The stored number of the organization's accounts, or of its accounts with this status. */
export async function countAccounts(snapshot: TenantSnapshot, status?: AccountStatus): Promise<number> {
  const values = countedValues(accountTotal, status ? { status: [status] } : {});
  return (await snapshot.first(accountTotal.statement, values))?.count ?? 0;
}

type CountedAccount = { status: AccountStatus; tier: HealthTier | null };

/** Moves an account from one count to another. Null: the account is created, or deleted. */
export function moveAccountCount(
  tx: TenantTransaction,
  from: CountedAccount | null,
  to: CountedAccount | null,
): void {
  if (from) addLate(tx, from, -1);
  if (to) addLate(tx, to, 1);
}

/** `status`: before the transaction. */
type ChangedAccount = { status: AccountStatus; isDeleted: boolean };
const CHANGED = "changed statuses";

type AddedCount = { status: AccountStatus; tier: string; added: number };

function addLate(tx: TenantTransaction, { status, tier: scored }: CountedAccount, added: number): void {
  const tier = scored ?? UNSCORED;
  const counts = tx.lateValues<AddedCount>("account counts", writeCounts);
  const key = `${status} ${tier}`;
  counts.set(key, { status, tier, added: (counts.get(key)?.added ?? 0) + added });
}

async function writeCounts(tx: TenantTransaction, counts: ReadonlyMap<string, AddedCount>): Promise<void> {
  const all = [...counts.values()];
  await tx.insertAll(
    addToCount,
    all.filter(({ added }) => added > 0),
  );
  for (const count of all) if (count.added < 0) await tx.run(reduceCount, count);
}

/** Counts a created, updated or deleted account. Undefined when no stored row is read. */
export function countChangedAccount(
  tx: TenantTransaction,
  { id, before, after }: Sides<"account">,
): Promise<void> | undefined {
  if (before?.status === after?.status) return undefined;
  // A new account has no score.
  if (!before) moveAccountCount(tx, null, after && { status: after.status, tier: null });
  if (!before) return undefined;
  // The tiers of many accounts are read by one statement.
  const changed = tx.lateValues<ChangedAccount>(CHANGED, moveChanged);
  const { status } = changed.get(String(id)) ?? before;
  changed.set(String(id), { status, isDeleted: !after });
  // The row of a deleted account exists until the reactions have run.
  return after ? undefined : tx.writeLate(CHANGED);
}

async function moveChanged(
  tx: TenantTransaction,
  changed: ReadonlyMap<string, ChangedAccount>,
): Promise<void> {
  const accountIds = JSON.stringify([...changed.keys()].map(Number));
  for (const { id, ...row } of await tx.all(storedAccounts, { accountIds })) {
    const { status = row.status, isDeleted } = changed.get(String(id)) ?? {};
    moveAccountCount(tx, { ...row, status }, isDeleted ? null : row);
  }
}
