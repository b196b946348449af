import { asc, eq, gt, lte, sql } from "drizzle-orm";
import { allOf, inputs, integerInput, isInJson, sumOf, textInput } from "../../db/expressions.ts";
import { usageSums, usageSumUsers } from "../../db/schema.ts";
import { hasRow } from "../core/due-jobs.ts";
import { insert, remove, select, update } from "../core/tenant/statements.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";

type SumKey = { day: number; event: string };
type Sum = SumKey & { count: number; users: number; accountCount: number };
type SumUser = SumKey & { userId: string; accountCount: number };

/** The conditions that a row has the inputs `day` and `event`. */
const ofSum = (table: typeof usageSums | typeof usageSumUsers) =>
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
const sumUser = {
  into: usageSumUsers,
  values: inputs(usageSumUsers, "day", "event", "userId", "accountCount"),
};
const userKey = [usageSumUsers.organizationId, usageSumUsers.day, usageSumUsers.event, usageSumUsers.userId];
const insertUser = insert("usageSumUsers.insert", { ...sumUser, onConflict: { target: userKey } });
const addToUser = insert("usageSumUsers.add", {
  ...sumUser,
  onConflict: { target: userKey, set: { accountCount: sumOf(usageSumUsers.accountCount) } },
});
const accountCount = integerInput("accountCount");
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
/** The inputs can be negative. */
const changeSum = update("usageSums.change", {
  table: usageSums,
  set: {
    count: sql`${usageSums.count} + ${integerInput("count")}`,
    users: sql`${usageSums.users} + ${integerInput("users")}`,
  },
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
    // The users of an old day are unknown, and may have been users of the removed account alone.
    users: sql`case when ${usageSums.users} > ${count} then ${count} else ${usageSums.users} end`,
    accountCount: sql`${usageSums.accountCount} - 1`,
  },
  where: allOf(...ofSum(usageSums)),
});

/**
 * What is added to a day of an account: events, and users that the day did not have; `users` is the number of imported
 * ones. `isNew`: it had no events.
 */
type AddedUsage = SumKey & { count: number; isNew: boolean; newUsers: readonly string[]; users?: number };

/** Adds to the sums of all accounts what is added to days of accounts. */
export async function addToSums(tx: TenantTransaction, days: readonly AddedUsage[]): Promise<void> {
  const sums = new Map<string, Sum>();
  const users = new Map<string, SumUser>();
  for (const { day, event, count, isNew, newUsers, users: imported = 0 } of days) {
    const newSum = { day, event, count: 0, users: 0, accountCount: 0 };
    const sum = sums.getOrInsert(JSON.stringify([day, event]), newSum);
    sum.count += count;
    sum.users += imported;
    sum.accountCount += isNew ? 1 : 0;
    for (const userId of newUsers) {
      const newUser = { day, event, userId, accountCount: 0 };
      users.getOrInsert(JSON.stringify([day, event, userId]), newUser).accountCount += 1;
    }
  }
  for (const { day, event } of await addUsers(tx, [...users.values()])) {
    const sum = sums.get(JSON.stringify([day, event]));
    if (sum) sum.users += 1;
  }
  await tx.insertAll(addSum, [...sums.values()]);
}

/** Adds accounts to users of days. Returns the users that their days did not have. */
async function addUsers(tx: TenantTransaction, users: readonly SumUser[]): Promise<SumUser[]> {
  const areNew = await tx.insertAll(insertUser, users);
  await tx.insertAll(
    addToUser,
    users.filter((_, i) => !areNew[i]),
  );
  return users.filter((_, i) => areNew[i]);
}

/** Adds to days that have events what an import adds to them, which can be negative. */
export async function changeSums(
  tx: TenantTransaction,
  days: readonly (SumKey & { count: number; users: number })[],
): Promise<void> {
  for (const { day, event, count, users } of days) await tx.run(changeSum, { day, event, count, users });
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
  { day, event, userId, accountCount }: SumUser,
  replacement: string,
): Promise<void> {
  const values = { day, event, userIds: JSON.stringify([userId]), accountCount };
  const removedCount = await tx.count(removeUsers, values);
  const keptCount = await tx.count(subtractAccounts, values);
  if (removedCount + keptCount === 0) return;
  const added = await addUsers(tx, [{ day, event, userId: replacement, accountCount }]);
  const users = removedCount - added.length;
  if (users !== 0) await tx.run(subtractUsers, { ...values, users });
}

/** Subtracts the day of an account that is deleted. Its users that have rows are subtracted before. */
export async function removeDayFromSums(
  tx: TenantTransaction,
  { importedUsers, ...day }: SumKey & { count: number; importedUsers: number },
): Promise<void> {
  if (importedUsers > 0) await tx.run(subtractUsers, { ...day, users: importedUsers });
  await tx.run(removeSum, day);
  await tx.run(subtractDay, day);
}

const isFinal = lte(usageSumUsers.day, integerInput("lastDay"));
const oldestUsers = select("usageSumUsers.oldest", {
  fields: { day: usageSumUsers.day, event: usageSumUsers.event, userId: usageSumUsers.userId },
  from: usageSumUsers,
  where: isFinal,
  orderBy: [asc(usageSumUsers.day), asc(usageSumUsers.event), asc(usageSumUsers.userId)],
  paged: true,
});
const deleteUsersUpTo = remove("usageSumUsers.deleteUpTo", {
  from: usageSumUsers,
  where: allOf(...ofSum(usageSumUsers), lte(usageSumUsers.userId, textInput("lastUser"))),
});

/** The condition that there are users of days up to the input `lastDay`. */
export const hasFinalSumUsers = hasRow({ from: usageSumUsers, where: isFinal });

/** Deletes at most `limit` users of days up to `lastDay` (days since 1970); the counts stay. Resolves with their number. */
export async function deleteFinalSumUsers(
  tx: TenantTransaction,
  lastDay: number,
  limit: number,
): Promise<number> {
  const users = await tx.all(oldestUsers, { lastDay, limit, offset: 0 });
  const lastUsers = new Map(users.map((user) => [JSON.stringify([user.day, user.event]), user]));
  for (const { day, event, userId } of lastUsers.values())
    await tx.run(deleteUsersUpTo, { day, event, lastUser: userId });
  return users.length;
}
