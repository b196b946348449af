import { and, eq, sql } from "drizzle-orm";
import { dayOf } from "../../../src/core/timestamps.ts";
import { rejectionDetails, type UsualEvent } from "../usual/event.ts";
import { db } from "./store.ts";
import { accounts, events, usageDays, usageUsers } from "./tables.ts";

type PostgresTransaction = Parameters<Parameters<typeof db.transaction>[0]>[0];

const millisecondsOfDay = 86_400_000;

/** Stores the events of one request and counts them, in one transaction. */
export async function receiveEvents(organizationId: number, received: UsualEvent[]) {
  const now = Date.now();
  const items: { index: number; code: string; detail: string }[] = [];
  let undeduplicated = 0;
  await db.transaction(async (tx) => {
    for (const [index, event] of received.entries()) {
      const code = await receive(tx, organizationId, event, now);
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
async function receive(
  tx: PostgresTransaction,
  organizationId: number,
  { event, externalId, messageId, userId, properties, ...input }: UsualEvent,
  now: number,
): Promise<keyof typeof rejectionDetails | undefined> {
  const at = input.timestamp === undefined ? now : Date.parse(input.timestamp);
  if (at > now + 5 * 60_000) return "in_future";
  if (at < now - 35 * millisecondsOfDay) return "too_old";
  const [account] = await tx
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(eq(accounts.organizationId, organizationId), eq(accounts.externalId, externalId)));
  if (!account) return "unknown_account";
  const time = Math.min(at, now);
  const inserted = await tx
    .insert(events)
    .values({
      organizationId,
      accountId: account.id,
      messageId: messageId || null,
      event,
      timestamp: new Date(time),
      userId: userId || null,
      properties: properties ? JSON.stringify(properties) : null,
      receivedAt: new Date(now),
    })
    .onConflictDoNothing()
    .returning({ id: events.id });
  if (inserted.length === 0) return "duplicate";
  await count(tx, { organizationId, accountId: account.id, day: dayOf(time), event }, new Date(time), userId);
  return undefined;
}

type UsageDayKey = Pick<typeof usageDays.$inferInsert, "organizationId" | "accountId" | "day" | "event">;

async function count(
  tx: PostgresTransaction,
  day: UsageDayKey,
  time: Date,
  userId: string | undefined,
): Promise<void> {
  const added = userId
    ? await tx
        .insert(usageUsers)
        .values({ ...day, userId })
        .onConflictDoNothing()
        .returning()
    : [];
  await tx
    .insert(usageDays)
    .values({ ...day, count: 1, users: added.length, firstAt: time, lastAt: time })
    .onConflictDoUpdate({
      target: [usageDays.organizationId, usageDays.accountId, usageDays.day, usageDays.event],
      set: {
        count: sql`${usageDays.count} + 1`,
        users: sql`${usageDays.users} + ${added.length}`,
        firstAt: sql`least(${usageDays.firstAt}, ${time.getTime()})`,
        lastAt: sql`greatest(${usageDays.lastAt}, ${time.getTime()})`,
      },
    });
}
