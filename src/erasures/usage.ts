import { asc, eq, gt, sql } from "drizzle-orm";
import { allOf, input, inputs, integerInput, isAfter, textInput } from "../../db/expressions.ts";
import { events, usageDays, usageUsers } from "../../db/schema.ts";
import type { Tenant } from "../core/tenant.ts";
import { select, update } from "../core/tenant-statements.ts";
import { replaceUserInSums } from "../usage/sums.ts";
import { isUserOf, newErasedUserIds, type Person } from "./person.ts";
import { readSize, visitPages, writeParts } from "./steps.ts";

const eventsAfter = select("erasures.events", {
  fields: { id: events.id, userId: events.userId, messageId: events.messageId },
  from: events,
  where: gt(events.id, integerInput("lastId")),
  orderBy: [asc(events.id)],
  paged: true,
});
const clearEvent = update("erasures.clearEvent", {
  table: events,
  set: { ...inputs(events, "messageId"), userId: sql`null`, properties: sql`null` },
  where: allOf(eq(events.id, integerInput("id")), eq(events.userId, textInput("userId"))),
});

const { accountId, day, event } = usageDays;
const dayKey = [accountId, day, event] as const;
const firstUsers = select("erasures.firstUsers", {
  fields: { accountId, day, event, userId: usageDays.firstUser },
  from: usageDays,
  where: isAfter(
    [...dayKey],
    [integerInput("lastAccount"), integerInput("lastDay"), textInput("lastEvent")],
    "asc",
  ),
  orderBy: dayKey.map((column) => asc(column)),
  paged: true,
});
const replaceFirstUser = update("erasures.replaceFirstUser", {
  table: usageDays,
  set: { firstUser: input("erased") },
  where: allOf(isDay(usageDays), eq(usageDays.firstUser, textInput("userId"))),
});
const userKey = [usageUsers.accountId, usageUsers.day, usageUsers.event, usageUsers.userId] as const;
const users = select("erasures.users", {
  fields: {
    accountId: usageUsers.accountId,
    day: usageUsers.day,
    event: usageUsers.event,
    userId: usageUsers.userId,
  },
  from: usageUsers,
  where: isAfter(
    [...userKey],
    [integerInput("lastAccount"), integerInput("lastDay"), textInput("lastEvent"), textInput("lastUser")],
    "asc",
  ),
  orderBy: userKey.map((column) => asc(column)),
  paged: true,
});
const replaceUser = update("erasures.replaceUser", {
  table: usageUsers,
  set: { userId: input("erased") },
  where: allOf(isDay(usageUsers), eq(usageUsers.userId, textInput("userId"))),
});

function isDay(table: typeof usageDays | typeof usageUsers) {
  return allOf(
    eq(table.accountId, integerInput("accountId")),
    eq(table.day, integerInput("day")),
    eq(table.event, textInput("event")),
  );
}

/**
 * Clears the user and the properties of the person's events, and a messageId that contains the user id; the events
 * stay counted. Returns their number.
 */
export async function eraseEvents(tenant: Tenant, person: Person, isDryRun: boolean): Promise<number> {
  let count = 0;
  await visitPages(
    readSize,
    (last?: { id: number }) =>
      tenant.readOne((tx) => tx.all(eventsAfter, { lastId: last?.id ?? 0, limit: readSize, offset: 0 })),
    async (rows) => {
      const found = rows.flatMap(({ id, userId, messageId }) =>
        userId !== null && isUserOf(person, userId) ? { id, userId, messageId } : [],
      );
      count += found.length;
      if (isDryRun) return;
      await writeParts(found, (part) =>
        tenant.write(
          async (tx) => {
            for (const { id, userId, messageId } of part) {
              const isKept = !messageId?.toLowerCase().includes(userId.toLowerCase());
              await tx.run(clearEvent, { id, userId, messageId: isKept ? messageId : null });
            }
          },
          { isBulk: true },
        ),
      );
    },
  );
  return count;
}

type UserRow = { accountId: number; day: number; event: string; userId: string | null };

/**
 * Replaces the person among the users of days by random ids, so that the numbers of users stay. Returns how often it
 * was there.
 */
export async function eraseUsageUsers(tenant: Tenant, person: Person, isDryRun: boolean): Promise<number> {
  let count = 0;
  const erasedIds = newErasedUserIds();
  for (const [rows, replace] of [
    [firstUsers, replaceFirstUser],
    [users, replaceUser],
  ] as const)
    await visitPages<UserRow>(
      readSize,
      (last) => tenant.readOne((tx) => tx.all(rows, { ...positionOf(last), limit: readSize, offset: 0 })),
      async (page) => {
        const found = page.flatMap(({ userId, ...key }) =>
          userId !== null && isUserOf(person, userId) ? { ...key, userId } : [],
        );
        count += found.length;
        if (isDryRun) return;
        await writeParts(found, (part) =>
          tenant.write(
            async (tx) => {
              for (const row of part) {
                const erased = erasedIds(row.userId, row.day, row.event);
                if ((await tx.count(replace, { ...row, erased })) === 0) continue;
                await replaceUserInSums(tx, row, row.userId, erased);
              }
            },
            { isBulk: true },
          ),
        );
      },
    );
  return count;
}

function positionOf(last: UserRow | undefined) {
  const { accountId: lastAccount = 0, day: lastDay = 0, event: lastEvent = "", userId } = last ?? {};
  return { lastAccount, lastDay, lastEvent, lastUser: userId ?? "" };
}
