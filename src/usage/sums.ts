import { eq, gt, lte, sql } from "drizzle-orm";
import { allOf, inputs, integerInput, isInJson, sumOf, textInput } from "../../db/expressions.ts";
import { usageSums, usageSumUsers } from "../../db/schema.ts";
import type { Combination } from "../core/tenant/combined-writes.ts";
import { insert, remove, update } from "../core/tenant/statements.ts";
import type { TenantTransaction } from "../core/tenant/tenant.ts";

type SumKey = { day: number; event: string };
type Sum = SumKey & { count: number; users: number; accountCount: number };

/** The conditions that a row has the inputs `day` and `event`. */
export const ofSum = (table: typeof usageSums | typeof usageSumUsers) =>
  [eq(table.day, integerInput("day")), eq(table.event, textInput("event"))] as const;
const addSum = insert("usageSums.add", {
  into: usageSums,
  values: inputs(usageSums, "day", "event", "count", "users", "accountCount"),
  onConflict: {
    target: [usageSums.organizationId, usageSums.day, usageSums.event],
    set: {
      count: sumOf(usageSums.count),
      users: sumOf(usageSums.users),
      accountCount: sumOf(usageSums.accountCount),
    },
  },
});
const insertUser = insert("usageSumUsers.insert", {
  into: usageSumUsers,
  values: inputs(usageSumUsers, "day", "event", "userId", "accountCount"),
  onConflict: {
    target: [usageSumUsers.organizationId, usageSumUsers.day, usageSumUsers.event, usageSumUsers.userId],
  },
});
const accountCount = integerInput("accountCount");
const addToUser = update("usageSumUsers.add", {
  table: usageSumUsers,
  set: { accountCount: sql`${usageSumUsers.accountCount} + ${accountCount}` },
  where: allOf(...ofSum(usageSumUsers), eq(usageSumUsers.userId, textInput("userId"))),
});
const areUsers = isInJson(usageSumUsers.userId, textInput("userIds"));
/** Removes the users that have no other accounts on the day. */
const removeUsers = remove("usageSumUsers.remove", {
  from: usageSumUsers,
  where: allOf(...ofSum(usageSumUsers), areUsers, lte(usageSumUsers.accountCount, accountCount)),
});
const subtractAccounts = update("usageSumUsers.subtract", {
  table: usageSumUsers,
  set: { accountCount: sql`${usageSumUsers.accountCount} - ${accountCount}` },
  where: allOf(...ofSum(usageSumUsers), areUsers, gt(usageSumUsers.accountCount, accountCount)),
});
const subtractUsers = update("usageSums.subtractUsers", {
  table: usageSums,
  set: { users: sql`${usageSums.users} - ${integerInput("users")}` },
  where: allOf(...ofSum(usageSums)),
});
const removeSum = remove("usageSums.remove", {
  from: usageSums,
  where: allOf(...ofSum(usageSums), lte(usageSums.accountCount, sql`1`)),
});
const count = sql`${usageSums.count} - ${integerInput("count")}`;
const subtractDay = update("usageSums.subtractDay", {
  table: usageSums,
  set: {
    count,
    // The users of an old day are unknown, and may have been those of the removed account alone.
    users: sql`case when ${usageSums.users} > ${count} then ${count} else ${usageSums.users} end`,
    accountCount: sql`${usageSums.accountCount} - 1`,
  },
  where: allOf(...ofSum(usageSums)),
});

const additions: Combination<TenantTransaction, Sum> = {
  keyOf: ({ day, event }) => `${day} ${event}`,
  merge: (sum, { count, users, accountCount }) => ({
    ...sum,
    count: sum.count + count,
    users: sum.users + users,
    accountCount: sum.accountCount + accountCount,
  }),
  write: (tx, sum) => tx.run(addSum, sum),
};

/** What is added to a day of an account: events, and users that the day did not have. `isNew`: it had no events. */
export type AddedUsage = SumKey & { count: number; isNew: boolean; newUsers: readonly string[] };

/** Adds to the sums of all accounts what is added to days of accounts. The sums are written before the transaction ends. */
export async function addToSums(tx: TenantTransaction, days: readonly AddedUsage[]): Promise<void> {
  const users = new Map<string, SumKey & { userId: string; accountCount: number }>();
  for (const { day, event, count, isNew, newUsers } of days) {
    tx.combined.add(additions, { day, event, count, users: 0, accountCount: isNew ? 1 : 0 });
    for (const userId of newUsers) {
      const key = JSON.stringify([day, event, userId]);
      const accountCount = (users.get(key)?.accountCount ?? 0) + 1;
      users.set(key, { day, event, userId, accountCount });
    }
  }
  if (users.size === 0) return;
  const rows = [...users.values()];
  const areNew = await tx.insertAll(insertUser, rows);
  for (const [i, row] of rows.entries()) {
    const { day, event } = row;
    if (areNew[i]) tx.combined.add(additions, { day, event, count: 0, users: 1, accountCount: 0 });
    else await tx.run(addToUser, row);
  }
}

/** Subtracts users of an account's day whose rows are deleted with the account. */
export async function removeUsersFromSums(
  tx: TenantTransaction,
  key: SumKey,
  users: readonly string[],
): Promise<void> {
  if (users.length === 0) return;
  const values = { day: key.day, event: key.event, userIds: JSON.stringify(users), accountCount: 1 };
  const removedCount = await tx.count(removeUsers, values);
  await tx.run(subtractAccounts, values);
  if (removedCount > 0) await tx.run(subtractUsers, { ...values, users: removedCount });
}

/** Replaces a user of a day of some accounts. Days whose users were deleted stay as they are. */
export async function replaceUserInSums(
  tx: TenantTransaction,
  { day, event, userId, accountCount }: SumKey & { userId: string; accountCount: number },
  replacement: string,
): Promise<void> {
  const values = { day, event, userIds: JSON.stringify([userId]), accountCount };
  const removedCount = await tx.count(removeUsers, values);
  const keptCount = await tx.count(subtractAccounts, values);
  if (removedCount + keptCount === 0) return;
  const row = { day, event, userId: replacement, accountCount };
  const [isNew = false] = await tx.insertAll(insertUser, [row]);
  if (!isNew) await tx.run(addToUser, row);
  const users = removedCount - (isNew ? 1 : 0);
  if (users !== 0) await tx.run(subtractUsers, { ...values, users });
}

/** Subtracts the day of an account that is deleted. Its users are subtracted before. */
export async function removeDayFromSums(
  tx: TenantTransaction,
  day: SumKey & { count: number },
): Promise<void> {
  await tx.run(removeSum, day);
  await tx.run(subtractDay, day);
}
