import { asc, lte } from "drizzle-orm";
import { allOf, integerInput, textInput } from "../../db/expressions.ts";
import { usageSumUsers } from "../../db/schema.ts";
import { hasRow } from "../core/due-jobs.ts";
import { remove, select } from "../core/tenant/statements.ts";
import type { TenantSnapshot, TenantTransaction } from "../core/tenant/tenant.ts";
import { ofSum } from "./sums.ts";

const { day, event, userId } = usageSumUsers;
const isFinal = lte(day, integerInput("lastDay"));
const oldest = select("usageSumUsers.oldest", {
  fields: { day, event, userId },
  from: usageSumUsers,
  where: isFinal,
  orderBy: [asc(day), asc(event), asc(userId)],
  paged: true,
});
const deleteUpTo = remove("usageSumUsers.deleteUpTo", {
  from: usageSumUsers,
  where: allOf(...ofSum(usageSumUsers), lte(userId, textInput("lastUser"))),
});

/** The condition that there are users of days up to the input `lastDay`. */
export const hasFinalSumUsers = hasRow({ from: usageSumUsers, where: isFinal });

/** The first users of days up to `lastDay` (days since 1970). */
export function readFinalSumUsers(snapshot: TenantSnapshot, lastDay: number, limit: number) {
  return snapshot.all(oldest, { lastDay, limit, offset: 0 });
}

/** Deletes at most `limit` of these users; the counts stay. Resolves with how many it deleted. */
export async function deleteFinalSumUsers(
  tx: TenantTransaction,
  lastDay: number,
  limit: number,
): Promise<number> {
  const users = await readFinalSumUsers(tx, lastDay, limit);
  const lastUsers = new Map(users.map((user) => [JSON.stringify([user.day, user.event]), user]));
  for (const { day, event, userId } of lastUsers.values())
    await tx.run(deleteUpTo, { day, event, lastUser: userId });
  return users.length;
}
