import { asc, eq, gt, sql } from "drizzle-orm";
import { allOf, textInput } from "../../db/expressions.ts";
import { pendingTraits } from "../../db/schema.ts";
import { foldAddress } from "../core/folding.ts";
import { remove, select } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import type { LinkSource } from "./person.ts";
import { readSize, visitPages } from "./steps.ts";

const isUser = eq(pendingTraits.type, sql`'user'`);
const usersAfter = select("erasures.pendingUsers", {
  fields: { userId: pendingTraits.id, email: pendingTraits.foldedEmail },
  from: pendingTraits,
  where: allOf(isUser, gt(pendingTraits.id, textInput("lastId"))),
  orderBy: [asc(pendingTraits.id)],
  paged: true,
});
const deleteUser = remove("erasures.deletePendingUser", {
  from: pendingTraits,
  where: allOf(isUser, eq(pendingTraits.id, textInput("userId"))),
});

type PendingUser = { userId: string; email: string | null };

/** Finds the users with pending traits who have an address or a user id of the person. Reads all of them: at most 10,000. */
export async function pendingUsersOf(tenant: Tenant): Promise<LinkSource> {
  const users = new Map<string, Set<PendingUser>>();
  await visitPages(
    (last?: PendingUser) =>
      tenant.readOne((tx) => tx.all(usersAfter, { lastId: last?.userId ?? "", limit: readSize, offset: 0 })),
    async (page) => {
      // An address can be a user id.
      for (const user of page)
        for (const key of [user.userId, foldAddress(user.userId), user.email])
          if (key !== null) users.set(key, (users.get(key) ?? new Set()).add(user));
    },
  );
  return async ({ addresses, userIds }) =>
    [...addresses, ...userIds].flatMap((key) =>
      [...(users.get(key) ?? [])].map(({ userId, email }) => ({
        ...{ email, userIds: [userId], row: userId, isStored: true },
      })),
    );
}

/** Deletes the pending traits of a user. */
export function deletePendingUser(tx: TenantTransaction, userId: string): Promise<void> {
  return tx.run(deleteUser, { userId });
}
