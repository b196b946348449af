import { and, asc, count, eq, gte, lte } from "drizzle-orm";
import { usageDays } from "../../db/schema.ts";
import {
  allOf,
  inputs,
  integerInput,
  largerOf,
  type Row,
  smallerOf,
  sumOf,
  textInput,
} from "../../db/statements.ts";
import { offsetOf, type PageRequest, paginationOf } from "../paging.ts";
import { insert, type OwnWriter, remove, select, type Tenant } from "../tenant.ts";
import { dayOf } from "../timestamps.ts";

const key = [usageDays.organizationId, usageDays.accountId, usageDays.userId, usageDays.day, usageDays.event];
const values = inputs("accountId", "userId", "day", "event", "count", "users", "firstAt", "lastAt");
const noteUser = insert({ into: usageDays, values, onConflict: { target: key } });
const addToDay = insert({
  into: usageDays,
  values,
  onConflict: {
    target: key,
    set: {
      count: sumOf(usageDays.count),
      users: sumOf(usageDays.users),
      firstAt: smallerOf(usageDays.firstAt),
      lastAt: largerOf(usageDays.lastAt),
    },
  },
});
const forgetUser = remove({
  from: usageDays,
  where: allOf(
    eq(usageDays.accountId, integerInput("accountId")),
    eq(usageDays.userId, textInput("userId")),
    eq(usageDays.day, integerInput("day")),
    eq(usageDays.event, textInput("event")),
  ),
});

/** Something that a user, if one is named, did with the product. `at` is in milliseconds since 1970 UTC. */
export type Use = { accountId: number; event: string; userId: string | null; at: number };
type Day = Omit<Row<typeof usageDays._.columns>, "organizationId" | "userId">;

/** Counts uses into their accounts' days, within the caller's transaction. */
export async function countUses(rows: OwnWriter, uses: readonly Use[]): Promise<void> {
  const days = new Map<string, Day>();
  for (const use of uses) {
    const { accountId, event, userId, at } = use;
    const day = dayOf(at);
    const users =
      userId === null ? 0 : await rows.run(noteUser, { ...nobody, accountId, userId, day, event });
    const name = `${accountId} ${day} ${event}`;
    const known = days.get(name);
    if (!known) days.set(name, { accountId, day, event, count: 1, users, firstAt: at, lastAt: at });
    else {
      known.count += 1;
      known.users += users;
      known.firstAt = Math.min(known.firstAt, at);
      known.lastAt = Math.max(known.lastAt, at);
    }
  }
  for (const day of days.values()) await rows.run(addToDay, { ...day, userId: "" });
}

const nobody = { count: 0, users: 0, firstAt: 0, lastAt: 0 };

/** Forgets that the user is counted in the day; for a day of which no more events can arrive. */
export async function forgetUses(rows: OwnWriter, uses: readonly Use[]): Promise<void> {
  for (const { accountId, event, userId, at } of uses)
    if (userId !== null) await rows.run(forgetUser, { accountId, event, userId, day: dayOf(at) });
}

const fields = {
  day: usageDays.day,
  event: usageDays.event,
  count: usageDays.count,
  users: usageDays.users,
};
export type UsageDay = Row<typeof fields>;
export type UsageRequest = PageRequest & { accountId: number; from: number; to: number; event?: string };

const [everyEvent, oneEvent] = [usageStatements(false), usageStatements(true)];

function usageStatements(ofOneEvent: boolean) {
  const where = and(
    eq(usageDays.accountId, integerInput("accountId")),
    eq(usageDays.userId, textInput("userId")),
    gte(usageDays.day, integerInput("from")),
    lte(usageDays.day, integerInput("to")),
    ofOneEvent ? eq(usageDays.event, textInput("event")) : undefined,
  );
  const orderBy = [asc(usageDays.day), asc(usageDays.event)];
  return {
    page: select({ fields, from: usageDays, where, orderBy, paged: true }),
    total: select({ fields: { count: count() }, from: usageDays, where }),
  };
}

/** A page of the account's days from one UTC day to another, both among them, by day and event. */
export async function listUsage(tenant: Tenant, { page, pageSize, event, ...asked }: UsageRequest) {
  const statements = event === undefined ? everyEvent : oneEvent;
  const given = { ...asked, userId: "", ...(event !== undefined && { event }) };
  const offset = offsetOf({ page, pageSize });
  const rows = await tenant.rows.all(statements.page, { ...given, limit: pageSize, offset });
  const total = (await tenant.rows.first(statements.total, given))?.count ?? 0;
  return { rows, pagination: paginationOf({ page, pageSize }, total) };
}
