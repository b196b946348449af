import { eq, isNull, sql } from "drizzle-orm";
import {
  allOf,
  type Column,
  contains,
  inputs,
  integerInput,
  sumOf,
  textInput,
} from "../../db/expressions.ts";
import { type AccountStatus, accountCounts, accounts, UNSCORED } from "../../db/schema.ts";
import type { Sides } from "../core/changes/changes.ts";
import { countedValues, type StoredTotal } from "../core/lists/stored-total.ts";
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
const storedTier = select("accountCounts.tier", {
  fields: { tier: accounts.tier },
  from: accounts,
  where: eq(accounts.id, integerInput("accountId")),
  key: ["accountId"],
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

function addLate(tx: TenantTransaction, { status, tier }: CountedAccount, added: number): void {
  const key = { status, tier: tier ?? UNSCORED };
  tx.addLate(`accounts ${status} ${tier}`, added, async (added) => {
    if (added !== 0) await tx.run(added > 0 ? addToCount : reduceCount, { ...key, added });
  });
}

/** Counts a created, updated or deleted account. Undefined when no stored row is read. */
export function countChangedAccount(
  tx: TenantTransaction,
  { id, before, after }: Sides<"account">,
): Promise<void> | undefined {
  if (before?.status === after?.status) return undefined;
  if (before) return recountAccount(tx, id, before, after);
  // A new account has no score.
  moveAccountCount(tx, null, after && { status: after.status, tier: null });
  return undefined;
}

async function recountAccount(
  tx: TenantTransaction,
  accountId: number,
  before: { status: AccountStatus },
  after: { status: AccountStatus } | null,
): Promise<void> {
  // The row of a deleted account still exists here.
  const tier = (await tx.first(storedTier, { accountId }))?.tier ?? null;
  moveAccountCount(tx, { status: before.status, tier }, after && { status: after.status, tier });
}
