import { eq } from "drizzle-orm";
import { allOf, inputs, integerInput, isInJson, textInput } from "../../db/expressions.ts";
import { usageDays, usageUsers } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import { insert, select, update } from "../core/tenant/statements.ts";
import type { TenantTransaction } from "../core/tenant/tenant.ts";
import { dayOf } from "../core/timestamps.ts";
import { addToSums } from "./sums.ts";
import { deleteTotals } from "./totals.ts";

/** One event of an account, with its user if it has one. `at` is in milliseconds since 1970 UTC. */
export type UsageRecord = { accountId: number; event: string; userId: string | null; at: number };

const totalFields = {
  count: usageDays.count,
  users: usageDays.users,
  firstUser: usageDays.firstUser,
  firstAt: usageDays.firstAt,
  lastAt: usageDays.lastAt,
};
type DayTotals = Row<typeof totalFields>;
const totalInputs = inputs(usageDays, "count", "users", "firstUser", "firstAt", "lastAt");
const isDayOfEvent = allOf(eq(usageDays.day, integerInput("day")), eq(usageDays.event, textInput("event")));
const dayTotals = select("usageDays.totals", {
  fields: { accountId: usageDays.accountId, ...totalFields },
  from: usageDays,
  where: allOf(isInJson(usageDays.accountId, textInput("accountIds")), isDayOfEvent),
});
const insertDay = insert("usageDays.insert", {
  into: usageDays,
  values: { ...inputs(usageDays, "accountId", "day", "event"), ...totalInputs },
});
const updateDay = update("usageDays.update", {
  table: usageDays,
  set: totalInputs,
  where: allOf(eq(usageDays.accountId, integerInput("accountId")), isDayOfEvent),
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

type Day = { accountId: number; day: number; event: string };
/** A day before and after its records, and their users that are not stored as the first one. */
type ChangedDay = {
  key: Day;
  isStored: boolean;
  totals: DayTotals;
  /** The number of records. */
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
  const valuesOf = ({ key, totals }: ChangedDay) => ({ ...key, ...totals });
  await tx.insertAll(insertDay, days.filter(({ isStored }) => !isStored).map(valuesOf));
  for (const day of days) if (day.isStored) await tx.run(updateDay, valuesOf(day));
  await addToSums(
    tx,
    days.map(({ key, isStored, added, newUsers }) => ({ ...key, count: added, isNew: !isStored, newUsers })),
  );
  await deleteTotals(tx, records);
}

/** Adds records of one event and day to the totals of their accounts. */
async function addToDays(tx: TenantTransaction, records: readonly UsageRecord[]): Promise<ChangedDay[]> {
  const [first] = records;
  if (!first) return [];
  const { event, at } = first;
  const day = dayOf(at);
  const byAccount = Map.groupBy(records, ({ accountId }) => accountId);
  const accountIds = JSON.stringify([...byAccount.keys()]);
  const stored = new Map(
    (await tx.all(dayTotals, { accountIds, day, event })).map(({ accountId, ...totals }) => [
      accountId,
      totals,
    ]),
  );
  return [...byAccount].map(([accountId, group]) =>
    addToDay({ accountId, day, event }, group, stored.get(accountId)),
  );
}

/** Adds records of one account, event and day to its totals, except for their other users. */
function addToDay(key: Day, group: readonly UsageRecord[], stored: DayTotals | undefined): ChangedDay {
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
  const isStored = stored !== undefined;
  return { key, isStored, totals, added: group.length, otherUsers: [...users], newUsers };
}
