import { asc, eq } from "drizzle-orm";
import { allOf, input, integerInput, isAfter, isInJson, pick, textInput } from "../../db/expressions.ts";
import { usageDays, usageUsers } from "../../db/schema.ts";
import { readBatchSize, writeBatchSize } from "../core/pauses.ts";
import { select, type TenantStatement, update } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import { replaceUserInSums } from "../usage/sums.ts";
import { isUserOf, newErasedUserId, type Person } from "./person.ts";
import { visitPages, writeRows } from "./steps.ts";

/** A person among the users of an account's day, and the statement that replaces it there. */
type FoundUser = {
  accountId: number;
  day: number;
  event: string;
  userId: string;
  replace: TenantStatement<unknown>;
};

/** A user of accounts on a day, and the random id that replaces it. */
type UserGroup = Pick<FoundUser, "day" | "event" | "userId"> & {
  erased: string;
  users: readonly FoundUser[];
};

/** Found users to store in memory: some 10 MB. */
const maxFoundUsers = 50_000;

/** Found users by day, event and user id, of so many days that they fit in memory. */
export class UserGroups {
  readonly #groups = new Map<string, FoundUser[]>();
  #maxCount: number;
  count = 0;
  /** Users of later days are left out. */
  lastDay = Number.POSITIVE_INFINITY;

  constructor(maxCount = maxFoundUsers) {
    this.#maxCount = maxCount;
  }

  add(user: FoundUser): void {
    const { day, event, userId } = user;
    if (day > this.lastDay) return;
    const key = JSON.stringify([day, event, userId]);
    this.#groups.getOrInsertComputed(key, () => []).push(user);
    this.count += 1;
    if (this.count > this.#maxCount) this.#removeLaterDays();
  }

  /** The users with the same day, event and id. */
  groups(): UserGroup[] {
    return [...this.#groups.values()].flatMap((users) => {
      const [first] = users;
      if (!first) return [];
      const { day, event, userId } = first;
      return { day, event, userId, erased: newErasedUserId(), users };
    });
  }

  /** Keeps the first half of the days, at least one. */
  #removeLaterDays(): void {
    const dayOfGroup = (group: readonly FoundUser[]) => group[0]?.day ?? 0;
    const days = [...new Set(this.#groups.values().map(dayOfGroup))].sort((a, b) => a - b);
    this.lastDay = days[Math.ceil(days.length / 2) - 1] ?? this.lastDay;
    for (const [key, group] of this.#groups)
      if (dayOfGroup(group) > this.lastDay) {
        this.#groups.delete(key);
        this.count -= group.length;
      }
    this.#maxCount = Math.max(this.#maxCount, 2 * this.count);
  }
}

const { accountId, day, event } = usageDays;
const dayKey = [accountId, day, event] as const;
const firstUsers = select("erasures.firstUsers", {
  fields: { accountId, day, event, userId: usageDays.firstUser },
  from: usageDays,
  where: isAfter([...dayKey], [integerInput("lastAccount"), integerInput("lastDay"), textInput("lastEvent")]),
  orderBy: dayKey.map((column) => asc(column)),
  paged: true,
});
/** The conditions of a user's days that are in the input `accountIds`. */
const isDayOfAccounts = (table: typeof usageDays | typeof usageUsers) => [
  isInJson(table.accountId, textInput("accountIds")),
  eq(table.day, integerInput("day")),
  eq(table.event, textInput("event")),
];
const replaceFirstUser = update("erasures.replaceFirstUser", {
  table: usageDays,
  set: { firstUser: input("erased") },
  where: allOf(eq(usageDays.firstUser, textInput("userId")), ...isDayOfAccounts(usageDays)),
});
const userKey = [usageUsers.accountId, usageUsers.day, usageUsers.event, usageUsers.userId] as const;
const users = select("erasures.users", {
  fields: pick(usageUsers, "accountId", "day", "event", "userId"),
  from: usageUsers,
  where: isAfter(
    [...userKey],
    [integerInput("lastAccount"), integerInput("lastDay"), textInput("lastEvent"), textInput("lastUser")],
  ),
  orderBy: userKey.map((column) => asc(column)),
  paged: true,
});
const replaceUser = update("erasures.replaceUser", {
  table: usageUsers,
  set: { userId: input("erased") },
  where: allOf(eq(usageUsers.userId, textInput("userId")), ...isDayOfAccounts(usageUsers)),
});

const tables = [
  { rows: firstUsers, replace: replaceFirstUser },
  { rows: users, replace: replaceUser },
];

/**
 * Replaces the person among the users of days by random ids, so that the numbers of users stay. One user of several
 * accounts gets one id for a day and event, in one transaction: it still counts once after an interruption, and if
 * two servers erase the person at once. Returns how often the person was there.
 */
export async function eraseUsageUsers(tenant: Tenant, person: Person, isDryRun: boolean): Promise<number> {
  let count = 0;
  for (let firstDay = 0; Number.isFinite(firstDay); ) {
    const found = await findUsers(tenant, person, firstDay);
    count += found.count;
    if (!isDryRun) await replaceUsers(tenant, found.groups());
    firstDay = found.lastDay + 1;
  }
  return count;
}

type UserRow = { accountId: number; day: number; event: string; userId: string | null };

async function findUsers(tenant: Tenant, person: Person, firstDay: number): Promise<UserGroups> {
  const found = new UserGroups();
  for (const { rows, replace } of tables)
    await visitPages<UserRow>(
      (last) =>
        tenant.readOne((tx) => tx.all(rows, { ...positionOf(last), limit: readBatchSize, offset: 0 })),
      async (page) => {
        for (const { userId, ...key } of page)
          if (userId !== null && key.day >= firstDay && isUserOf(person, userId))
            found.add({ ...key, userId, replace });
      },
    );
  return found;
}

function replaceUsers(tenant: Tenant, groups: readonly UserGroup[]): Promise<void> {
  return writeRows(
    tenant,
    groups,
    async (tx, { erased, users, ...key }, pauses) => {
      let accountCount = 0;
      for (const [replace, found] of Map.groupBy(users, (user) => user.replace))
        for (let start = 0; start < found.length; start += writeBatchSize) {
          const ids = found.slice(start, start + writeBatchSize).map(({ accountId }) => accountId);
          accountCount += await tx.count(replace, { ...key, erased, accountIds: JSON.stringify(ids) });
          await pauses.next();
        }
      if (accountCount > 0) await replaceUserInSums(tx, { ...key, accountCount }, erased);
    },
    ({ users }) => users.length,
  );
}

function positionOf(last: UserRow | undefined) {
  const { accountId: lastAccount = 0, day: lastDay = 0, event: lastEvent = "", userId } = last ?? {};
  return { lastAccount, lastDay, lastEvent, lastUser: userId ?? "" };
}
