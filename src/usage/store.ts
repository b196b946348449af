import { eq } from "drizzle-orm";
import {
  allOf,
  excludedColumns,
  inputs,
  integerInput,
  isInJson,
  pick,
  textInput,
} from "../../db/expressions.ts";
import { usageDays, usageUsers } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import { insert, select } from "../core/tenant/statements.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { dayOf } from "../core/timestamps.ts";
import { addToSums } from "./sums.ts";

/** One event of an account, with its user if it has one. `at` is in milliseconds since 1970 UTC. */
export type UsageRecord = { accountId: number; event: string; userId: string | null; at: number };

const totals = ["count", "users", "firstUser", "firstAt", "lastAt"] as const;
const fields = pick(usageDays, "accountId", ...totals, "importedCount");
export type StoredDay = Row<typeof fields>;
type DayTotals = Pick<StoredDay, (typeof totals)[number]>;
const dayTotals = select("usageDays.totals", {
  fields,
  from: usageDays,
  where: allOf(
    isInJson(usageDays.accountId, textInput("accountIds")),
    eq(usageDays.day, integerInput("day")),
    eq(usageDays.event, textInput("event")),
  ),
});
const saveDay = insert("usageDays.save", {
  into: usageDays,
  values: inputs(usageDays, "accountId", "day", "event", ...totals),
  onConflict: {
    target: [usageDays.organizationId, usageDays.accountId, usageDays.day, usageDays.event],
    set: excludedColumns(usageDays, ...totals),
  },
});
const insertUser = insert("usageUsers.insert", {
  into: usageUsers,
  values: inputs(usageUsers, "accountId", "day", "event", "userId"),
  onConflict: {
    target: [
      usageUsers.organizationId,
      usageUsers.accountId,
      usageUsers.day,
      usageUsers.event,
      usageUsers.userId,
    ],
  },
});

/** A day of an account after its records, except for the users that are not stored as its first one. */
type ChangedDay = {
  key: { accountId: number; day: number; event: string };
  /** Whether the day had no events before. */
  isNew: boolean;
  totals: DayTotals;
  added: number;
  otherUsers: string[];
  /** The users that the day did not have before. */
  newUsers: string[];
};

/** Adds usage to the totals of its days, and to the sums of all accounts. */
export async function addUsage(tx: TenantTransaction, records: readonly UsageRecord[]): Promise<void> {
  const groups = Map.groupBy(records, ({ event, at }) => `${dayOf(at)} ${event}`);
  const days = (await Promise.all([...groups.values()].map((group) => addToDays(tx, group)))).flat();
  const users = days.flatMap((day) => day.otherUsers.map((userId) => ({ day, userId })));
  const areNew = await tx.insertAll(
    insertUser,
    users.map(({ day, userId }) => ({ ...day.key, userId })),
  );
  for (const [i, { day, userId }] of users.entries())
    if (areNew[i]) {
      day.totals.users += 1;
      day.newUsers.push(userId);
    }
  await tx.insertAll(
    saveDay,
    days.map(({ key, totals }) => ({ ...key, ...totals })),
  );
  await addToSums(
    tx,
    days.map(({ key, added, ...day }) => ({ ...day, ...key, count: added })),
  );
}

/** The stored days of accounts with one event. */
export function readDays(
  tx: TenantTransaction,
  accountIds: readonly number[],
  { day, event }: { day: number; event: string },
): Promise<StoredDay[]> {
  return tx.all(dayTotals, { accountIds: JSON.stringify(accountIds), day, event });
}

/** Adds records of one event and day to the totals of their accounts. */
async function addToDays(tx: TenantTransaction, records: readonly UsageRecord[]): Promise<ChangedDay[]> {
  const [first] = records;
  if (!first) return [];
  const { event, at } = first;
  const day = dayOf(at);
  const byAccount = Map.groupBy(records, ({ accountId }) => accountId);
  const rows = await readDays(tx, [...byAccount.keys()], { day, event });
  const stored = new Map(rows.map(({ accountId, importedCount: _, ...totals }) => [accountId, totals]));
  return [...byAccount].map(([accountId, group]) =>
    addToDay({ accountId, day, event }, group, stored.get(accountId)),
  );
}

/** Adds records of one account, event and day to its totals, without additional users. */
function addToDay(
  key: ChangedDay["key"],
  group: readonly UsageRecord[],
  stored: DayTotals | undefined,
): ChangedDay {
  const at = group[0]?.at ?? 0;
  const totals = stored ?? { count: 0, users: 0, firstUser: null, firstAt: at, lastAt: at };
  totals.count += group.length;
  const users = new Set<string>();
  for (const { userId, at } of group) {
    totals.firstAt = Math.min(totals.firstAt, at);
    totals.lastAt = Math.max(totals.lastAt, at);
    if (userId !== null) users.add(userId);
  }
  const [firstUser = null] = users;
  const newUsers: string[] = [];
  if (totals.firstUser === null && firstUser !== null) {
    totals.firstUser = firstUser;
    totals.users += 1;
    newUsers.push(firstUser);
  }
  if (totals.firstUser !== null) users.delete(totals.firstUser);
  return { key, isNew: !stored, totals, added: group.length, otherUsers: [...users], newUsers };
}
