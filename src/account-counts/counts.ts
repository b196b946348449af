import { eq, min, type SQL, sql } from "drizzle-orm";
import { allOf, type Column, input, inputs, integerInput, shareOf, textInput } from "../../db/expressions.ts";
import {
  type AccountStatus,
  accountCounts,
  accounts,
  type HealthTier,
  MRR_SCALE,
  UNSCORED,
} from "../../db/schema.ts";
import type { Sides } from "../core/changes/changes.ts";
import type { Combination } from "../core/tenant/combined-writes.ts";
import { aggregateOf, insert, select, update } from "../core/tenant/statements.ts";
import type { TenantSnapshot, TenantTransaction } from "../core/tenant/tenant.ts";

const { count, scaledMrr, mrrError } = accountCounts;
const counts = select("accountCounts.all", {
  fields: { status: accountCounts.status, tier: accountCounts.tier, count },
  from: accountCounts,
});
const isAccount = eq(accounts.id, integerInput("id"));
const storedTier = select("accountCounts.tier", {
  fields: { tier: accounts.tier },
  from: accounts,
  where: isAccount,
});
const insertCount = insert("accountCounts.insert", {
  into: accountCounts,
  values: {
    ...inputs(accountCounts, "status", "tier", "scaledMrr", "mrrError"),
    count: integerInput("added"),
  },
});
const hasStatus = eq(accountCounts.status, textInput("status"));
/** The condition that a row has the inputs `status` and `tier`. */
export const isCountOf = allOf(hasStatus, eq(accountCounts.tier, textInput("tier")));
const additions = {
  count: sql`${count} + ${input("added")}`,
  scaledMrr: sql`${scaledMrr} + ${input("scaledMrr")}`,
  mrrError: sql`${grownError(sql`${input("scaledMrr")}`)} + ${input("mrrError")}`,
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

/** Filters of accounts by one status, and by JSON arrays of statuses and tiers; an empty array is no filter. */
type CountFilters = {
  status?: string | undefined;
  statusList?: unknown;
  tierList?: unknown;
};

/** The stored number of the organization's accounts that match the filters. */
export async function countAccounts(
  snapshot: TenantSnapshot,
  { status, statusList = null, tierList = null }: CountFilters = {},
): Promise<number> {
  const rows = await snapshot.all(counts, {});
  const [statuses, tiers] = [readList(statusList), readList(tierList)];
  let total = 0;
  for (const row of rows) {
    const isCounted = status === undefined || row.status === status;
    if (isCounted && isIn(statuses, row.status) && isIn(tiers, row.tier)) total += row.count;
  }
  return total;
}

function readList(json: unknown): readonly string[] {
  return typeof json === "string" && json !== "[]" ? JSON.parse(json) : [];
}

function isIn(list: readonly string[], value: string): boolean {
  return list.length === 0 || list.includes(value);
}

/** The values of an account that are counted and summed. */
export type CountedAccount = { status: AccountStatus; tier: HealthTier | null; mrr: number };

/** What is added to a stored count and sum. `mrrError` is the bound of the rounding error of `scaledMrr`. */
type CountChange = {
  status: AccountStatus;
  tier: HealthTier | typeof UNSCORED;
  added: number;
  scaledMrr: number;
  mrrError: number;
};
const countChanges: Combination<TenantTransaction, CountChange> = {
  keyOf: ({ status, tier }) => `${status} ${tier}`,
  merge: (sum, { added, scaledMrr, mrrError }) => ({
    ...sum,
    added: sum.added + added,
    scaledMrr: sum.scaledMrr + scaledMrr,
    mrrError: sum.mrrError + mrrError + (Math.abs(sum.scaledMrr) + Math.abs(scaledMrr)) * Number.EPSILON,
  }),
  // An upsert costs SQLite more than twice as much, because it checks the foreign key.
  write: (tx, change) => tx.updateOrInsert(addToCount, insertCount, change),
};

/** Moves an account from one count and sum to another. Null: the account is created, or deleted. */
export function moveAccountCount(
  tx: TenantTransaction,
  from: CountedAccount | null,
  to: CountedAccount | null,
): void {
  if (from) tx.combined.add(countChanges, countChange(from, -1));
  if (to) tx.combined.add(countChanges, countChange(to, 1));
}

function countChange({ status, tier, mrr }: CountedAccount, added: 1 | -1): CountChange {
  return { status, tier: tier ?? UNSCORED, added, scaledMrr: (added * mrr) / MRR_SCALE, mrrError: 0 };
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
    // The count of a status and tier may be new in this transaction.
    await tx.combined.write(tx);
    await tx.run(addToCountOfAccount, { id, status: before.status, added: 0, scaledMrr, mrrError: 0 });
    return;
  }
  // A new account has no score. The row of a deleted account still exists here.
  const { tier = null } = (before && (await tx.first(storedTier, { id }))) ?? {};
  moveAccountCount(tx, before && { ...before, tier }, after && { ...after, tier });
}
