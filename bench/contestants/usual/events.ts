import { and, eq, sql } from "drizzle-orm";
import { dayOf } from "../../../src/core/timestamps.ts";
import { rejectionDetails, type UsualEvent } from "./event.ts";
import { db } from "./store.ts";
import { accounts, events, usageDays, usageUsers } from "./tables.ts";

type Transaction = Parameters<Parameters<typeof db.transaction>[0]>[0];

const millisecondsOfDay = 86_400_000;
/** Stores the events of one request and counts them, in one transaction. */
export function receiveEvents(organizationId: number, received: UsualEvent[]) {
  const now = Date.now();
  const items: { index: number; code: string; detail: string }[] = [];
  let undeduplicated = 0;
  db.transaction((tx) => {
    for (const [index, event] of received.entries()) {
      const code = receive(tx, organizationId, event, now);
      if (code) items.push({ index, code, detail: rejectionDetails[code] });
      else if (!event.messageId) undeduplicated += 1;
    }
  });
  const duplicates = items.filter(({ code }) => code === "duplicate").length;
  const accepted = received.length - items.length;
  const rejected = items.length - duplicates;
  return { accepted, duplicates, parked: 0, rejected, ignored: 0, undeduplicated, items };
}

/** The code of the rejection, or undefined when the event is stored. */
function receive(
  tx: Transaction,
  organizationId: number,
  { event, externalId, messageId, userId, properties, ...input }: UsualEvent,
  now: number,
): keyof typeof rejectionDetails | undefined {
  const at = input.timestamp === undefined ? now : Date.parse(input.timestamp);
  if (at > now + 5 * 60_000) return "in_future";
  if (at < now - 35 * millisecondsOfDay) return "too_old";
  const account = tx
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(eq(accounts.organizationId, organizationId), eq(accounts.externalId, externalId)))
    .get();
  if (!account) return "unknown_account";
  const time = Math.min(at, now);
  const inserted = tx
    .insert(events)
    .values({
      organizationId,
      accountId: account.id,
      messageId: messageId || null,
      event,
      timestamp: new Date(time),
      userId: userId || null,
      properties: properties ?? null,
      receivedAt: new Date(now),
    })
    .onConflictDoNothing()
    .returning({ id: events.id })
    .all();
  if (inserted.length === 0) return "duplicate";
  count(tx, { organizationId, accountId: account.id, day: dayOf(time), event }, userId);
  return undefined;
}

type Day = Omit<typeof usageDays.$inferInsert, "count" | "users">;

function count(tx: Transaction, day: Day, userId: string | undefined): void {
  const { accountId, event } = day;
  const added = userId
    ? tx
        .insert(usageUsers)
        .values({ accountId, day: day.day, event, userId })
        .onConflictDoNothing()
        .returning()
        .all()
    : [];
  tx.insert(usageDays)
    .values({ ...day, count: 1, users: added.length })
    .onConflictDoUpdate({
      target: [usageDays.organizationId, usageDays.accountId, usageDays.day, usageDays.event],
      set: { count: sql`${usageDays.count} + 1`, users: sql`${usageDays.users} + ${added.length}` },
    })
    .run();
}
