import { eq, min, type SQL, sql } from "drizzle-orm";
import {
  allOf,
  type Column,
  input,
  inputs,
  integerInput,
  integerSum,
  shareOf,
  textInput,
} from "../../db/expressions.ts";
import {
  type AccountStatus,
  accountCounts,
  accounts,
  type HealthTier,
  MRR_SCALE,
  UNSCORED,
} from "../../db/schema.ts";
import type { Sides } from "../core/changes.ts";
import type { TenantSnapshot, TenantTransaction } from "../core/tenant.ts";
import { aggregateOf, insert, select, update } from "../core/tenant-statements.ts";

const { count, scaledMrr, mrrError } = accountCounts;
const counts = select("accountCounts.all", {
  fields: { status: accountCounts.status, count: integerSum(count) },
  from: accountCounts,
  groupBy: [accountCounts.status],
});
const isAccount = eq(accounts.id, integerInput("id"));
const storedTier = select("accountCounts.tier", {
  fields: { tier: accounts.tier },
  from: accounts,
  where: isAccount,
});
const insertCount = insert("accountCounts.insert", {
  into: accountCounts,
  values: { ...inputs(accountCounts, "status", "tier", "scaledMrr"), count: sql`1`, mrrError: sql`0` },
});
const hasStatus = eq(accountCounts.status, textInput("status"));
/** The condition that a row has the inputs `status` and `tier`. */
export const isCountOf = allOf(hasStatus, eq(accountCounts.tier, textInput("tier")));
const additions = {
  count: sql`${count} + ${input("added")}`,
  scaledMrr: sql`${scaledMrr} + ${input("scaledMrr")}`,
  mrrError: grownError(sql`${input("scaledMrr")}`),
};
const addToCount = update("accountCounts.add", { table: accountCounts, set: additions, where: isCountOf });
const tierOfAccount = aggregateOf(min(accounts.tier), { from: accounts, where: isAccount });
const addToCountOfAccount = update("accountCounts.addToCountOfAccount", {
  table: accountCounts,
  set: additions,
  where: allOf(hasStatus, sql`${accountCounts.tier} = ${tierOrUnscored(tierOfAccount)}`),
});

/** A tier of `accounts` as `accountCounts.tier` stores it. */
export function tierOrUnscored(tier: Column | SQL): SQL<HealthTier | typeof UNSCORED> {
  return sql`coalesce(${tier}, ${sql.raw(`'${UNSCORED}'`)})`;
}

/** The bound of the rounding error after a value is added to the sum. */
export function grownError(added: SQL, before: SQL = sql`${mrrError}`): SQL {
  return sql`${before} + ${shareOf(sql`abs(${scaledMrr}) + abs(${added})`, Number.EPSILON)}`;
}

/** The stored number of the organization's accounts, of one status or of all statuses. */
export async function countAccounts(snapshot: TenantSnapshot, status?: AccountStatus): Promise<number> {
  const rows = await snapshot.all(counts, {});
  return rows.reduce(
    (sum, row) => (status === undefined || row.status === status ? sum + row.count : sum),
    0,
  );
}

/** The values of an account that are counted and summed. */
export type CountedAccount = { status: AccountStatus; tier: HealthTier | null; mrr: number };

/** Moves an account from one count and sum to another. Null: the account is created, or deleted. */
export async function moveAccountCount(
  tx: TenantTransaction,
  from: CountedAccount | null,
  to: CountedAccount | null,
): Promise<void> {
  if (from) await tx.run(addToCount, { ...groupOf(from), added: -1, scaledMrr: -from.mrr / MRR_SCALE });
  if (!to) return;
  const added = { ...groupOf(to), scaledMrr: to.mrr / MRR_SCALE };
  // An upsert costs more than twice as much, because it checks the foreign key.
  if ((await tx.run(addToCount, { ...added, added: 1 })) === 0) await tx.run(insertCount, added);
}

function groupOf({ status, tier }: CountedAccount) {
  return { status, tier: tier ?? UNSCORED };
}

/** Counts a created, updated or deleted account. Undefined when its counts and sums stay the same. */
export function countChangedAccount(
  tx: TenantTransaction,
  sides: Sides<"account">,
): Promise<void> | undefined {
  const { before, after } = sides;
  return before?.status === after?.status && before?.mrr === after?.mrr
    ? undefined
    : recountAccount(tx, sides);
}

async function recountAccount(tx: TenantTransaction, { id, before, after }: Sides<"account">): Promise<void> {
  if (before && before.status === after?.status) {
    // Scaled before the subtraction, which could overflow.
    const scaledMrr = after.mrr / MRR_SCALE - before.mrr / MRR_SCALE;
    await tx.run(addToCountOfAccount, { id, status: before.status, added: 0, scaledMrr });
    return;
  }
  // A new account has no score. The row of a deleted account still exists here.
  const { tier = null } = (before && (await tx.first(storedTier, { id }))) ?? {};
  await moveAccountCount(tx, before && { ...before, tier }, after && { ...after, tier });
}
