import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { millisecondsOfDay as day } from "../core/timestamps.ts";
import { receiveEvents, type UsageEvent } from "../events/store.ts";
import { storeLastSeen } from "../last-seen/store.ts";

/** The usage of an account: events of the last 14 days, events before them, and days since the last event. */
const habits = [
  { recent: 14, before: 10, since: 0 },
  { recent: 12, before: 12, since: 0 },
  { recent: 8, before: 10, since: 1 },
  { recent: 5, before: 10, since: 4 },
  { recent: 2, before: 9, since: 10 },
  { recent: 0, before: 6, since: 16 },
  { recent: 0, before: 0, since: 0 },
];
const actions = ["dashboard.viewed", "report.exported", "search.run", "user.invited"];
const platforms = ["vitally", "helpdesk"];

/** The external id of an account, and the number from which its usage is generated. */
type SeededAccount = { externalId: string; seed: number };

/** Stores generated events and last-seen timestamps of the accounts, and some pending events. */
export async function seedUsage(tx: TenantTransaction, accounts: SeededAccount[]): Promise<void> {
  const pendingHabit = { recent: 3, before: 0, since: 0 };
  const events = [
    ...accounts.flatMap((account) => eventsOf(account, tx.now)),
    ...eventsBy(pendingHabit, "NEWCO", 1, tx.now),
  ];
  await receiveEvents(tx, events);
  const seenAccounts = accounts.filter(({ seed }) => seed % 4 === 0);
  await storeLastSeen(
    tx,
    seenAccounts.map(({ externalId, seed }) => ({
      externalId,
      source: platforms[(seed / 4) % platforms.length] ?? "",
      lastSeenAt: tx.now - (seed % 40) * day,
    })),
  );
}

function eventsOf({ externalId, seed }: SeededAccount, now: number): UsageEvent[] {
  const habit = habits[seed % habits.length];
  return habit ? eventsBy(habit, externalId, seed, now) : [];
}

function eventsBy(
  { recent, before, since }: { recent: number; before: number; since: number },
  externalId: string,
  seed: number,
  now: number,
): UsageEvent[] {
  const daysAgo = [
    ...Array.from({ length: recent }, (_, k) => since + (k / recent) * (13 - since)),
    ...Array.from({ length: before }, (_, k) => Math.max(since, 15) + (k / before) * 12),
  ];
  return daysAgo.flatMap((days, k) =>
    // Up to three users for an event.
    Array.from({ length: 1 + ((seed + k) % 3) }, (_, user) => ({
      event: actions[(seed + k) % actions.length] ?? "",
      externalId,
      messageId: `${externalId}-${k + 1}-${user + 1}`,
      timestamp: Math.floor(now - days * day) - (seed % 3600) * 1000 - user * 60_000,
      userId: `u${(seed + k + user) % 7}`,
      properties: JSON.stringify({ rows: (seed + k) % 500 }),
    })),
  );
}
