import type { Transaction } from "../../db/engine.ts";
import { accountResource } from "../accounts/resource.ts";
import { createAccount, updateAccount } from "../accounts/store.ts";
import { contactStore } from "../contacts/store.ts";
import type { Caller } from "../core/tenant/caller.ts";
import { TenantTransaction } from "../core/tenant/transaction.ts";
import { millisecondsOfDay as day, formatTimestamp } from "../core/timestamps.ts";
import { receiveEvents, type UsageEvent } from "../events/store.ts";
import { featureRequestStore } from "../feature-requests/store.ts";
import { storeLastSeen } from "../last-seen/store.ts";
import { meetingStore } from "../meetings/store.ts";
import { reactions } from "../reactions.ts";
import { requestStatuses } from "../shared/fields/requests.ts";
import { CsvReader } from "../shared/imports/csv.ts";
import companies from "./sp500.csv" with { type: "text" };

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

type Company = { Symbol: string; Security: string; CIK: string };

const hour = 3_600_000;
const teams = ["Operations", "Finance", "Product", "Support"];
const meetingTitles = ["Kickoff", "Quarterly review", "Training", "Renewal"];
const requestTitles = [
  "Single sign-on",
  "Export to spreadsheet",
  "Audit trail",
  "Faster reports",
  "Mobile view",
];
const statuses = [
  "active",
  "active",
  "active",
  "active",
  "active",
  "onboarding",
  "churned",
  "inactive",
] as const;

/** One change of the generated history. */
type Step = { at: number; run: (tx: TenantTransaction) => Promise<unknown> };

/**
 * Stores the companies as accounts of an organization, with generated revenue, statuses, contacts, meetings, requests
 * and usage: always the same for the same `tx.now`. The changes have past timestamps, in ascending order. Returns the
 * number of accounts.
 */
export async function seedCompanies(tx: Transaction, organizationId: number): Promise<number> {
  const [header, ...records] = new CsvReader(",").read(companies, { isEnd: true });
  // Safe: the file has these columns.
  const rows = records.map(({ cells }) =>
    Object.fromEntries(cells.map((cell, i) => [header?.cells[i], cell])),
  ) as Company[];
  const caller = { organizationId, actor: { type: "cli" as const }, requestId: null };
  const steps = rows.flatMap((company, i) => accountSteps(company, i, tx.now));
  for (const { at, run } of steps.toSorted((a, b) => a.at - b.at))
    await complete(new PastTransaction(tx, caller, at), run);
  const accounts = rows.map(({ Symbol: externalId, CIK }, i) => ({ externalId, seed: Number(CIK) + i }));
  await complete(new TenantTransaction(tx, caller, reactions), (tenantTx) => seedUsage(tenantTx, accounts));
  return accounts.length;
}

async function complete(tx: TenantTransaction, run: Step["run"]): Promise<void> {
  await run(tx);
  await tx.writeLate();
}

/** A transaction of a step of the history. */
class PastTransaction extends TenantTransaction {
  readonly #at: number;

  constructor(tx: Transaction, caller: Caller, at: number) {
    super(tx, caller, reactions);
    this.#at = at;
  }

  override get now(): number {
    return this.#at;
  }
}

function accountSteps(company: Company, i: number, now: number): Step[] {
  const seed = Number(company.CIK) + i;
  const { Symbol: externalId } = company;
  const at = (daysAgo: number) => Math.min(now, now - daysAgo * day + i * 1000);
  const status = statuses[i % statuses.length] ?? "active";
  const create: Step = {
    at: at(395 - (seed % 360)),
    run: (tx) =>
      createAccount(tx, {
        name: company.Security,
        externalId,
        mrr: (seed % 900_000) / 100,
        status: status === "inactive" ? "active" : status,
      }),
  };
  const steps = [
    create,
    { at: at(30), run: (tx: TenantTransaction) => seedLists(tx, externalId, seed, now) },
  ];
  if (status === "inactive")
    steps.push({ at: at(20), run: (tx) => updateAccount(tx, externalId, { status }) });
  const contactActivityAt = formatTimestamp(now - ((seed % 60) + 20) * day);
  if (seed % 3 === 0)
    steps.push({
      at: at(seed % 20),
      run: (tx) => updateAccount(tx, externalId, { contactActivityAt }),
    });
  return steps;
}

async function seedLists(
  tx: TenantTransaction,
  externalId: string,
  seed: number,
  now: number,
): Promise<void> {
  const { id: accountId } = await accountResource.get(tx, externalId);
  for (let k = 0; k <= seed % 3; k++) {
    const team = teams[(seed + k) % teams.length] ?? "";
    const email = `${team.toLowerCase()}@${externalId.toLowerCase()}.example`;
    const contact = { name: `${team} at ${externalId}`, email: k === 2 ? null : email };
    await contactStore.upsert(tx, { input: contact, accountId });
  }
  for (let k = 0; k < seed % 5; k++) {
    const startAt = now - ((seed % 25) + k * 30 + 1) * day;
    const title = meetingTitles[k % meetingTitles.length] ?? "";
    const times = { startAt: formatTimestamp(startAt), endAt: formatTimestamp(startAt + hour) };
    await meetingStore.upsert(tx, { input: { title, ...times }, accountId });
  }
  for (let k = 0; k < seed % 4; k++) {
    const status = requestStatuses[(seed + k) % requestStatuses.length] ?? "Open";
    const title = requestTitles[(seed + k) % requestTitles.length] ?? "";
    const requestedAt = formatTimestamp(tx.now - ((seed % 40) + k * 20 + 1) * day);
    const request = { title, severity: ((seed + k) % 5) + 1, requestedAt, status };
    await featureRequestStore.upsert(tx, { input: request, accountId });
  }
}
