import type { Transaction } from "../../db/engine.ts";
import { declareAttribute } from "../attributes/declare.ts";
import { TenantTransaction } from "../core/tenant/transaction.ts";
import { dayOf, millisecondsOfDay } from "../core/timestamps.ts";
import { receiveEvents } from "../events/store.ts";
import { recompute } from "../health-scores/recompute.ts";
import { importDays } from "../imports/usage-days.ts";
import { type LastSeenItem, storeLastSeen } from "../last-seen/store.ts";
import { reactions } from "../reactions.ts";
import { type Company, readCompanies, weekdayAt } from "./companies.ts";
import { accountSteps, type Step } from "./history.ts";
import { unmatchedEvents, usageOf } from "./usage.ts";

/** How many days ago scores are computed, at 20:00 UTC. Days at a weekend, on which few use the product, are moved. */
const scoreDays = [90, 76, 62, 48, 34, 20, 8, 4, 1];
const scoreMilliseconds = 20 * 3_600_000;
const labels = [
  ["account", "plan", "string", "Plan"],
  ["account", "owner", "string", "Owner"],
  ["account", "industry", "string", "Industry"],
  ["account", "renewalDate", "date", "Renewal"],
  ["contact", "role", "string", "Role"],
] as const;
const platforms = ["helpdesk", "e-mail"];

/**
 * Stores the companies as accounts of an organization, with a generated history: always the same for the same `tx.now`.
 * The changes have past timestamps, in ascending order; scores are computed from the facts of their day. Returns the
 * number of accounts.
 */
export async function seedCompanies(tx: Transaction, organizationId: number): Promise<number> {
  const { now } = tx;
  const caller = { organizationId, actor: { type: "cli" as const }, requestId: null };
  const present = new TenantTransaction(tx, caller, reactions);
  for (const [resource, name, type, label] of labels)
    await declareAttribute(
      present,
      { resource, name },
      { type, label, description: null, canConvert: false },
      undefined,
    );
  const companies = readCompanies(now);
  const steps = companies.flatMap((company) => accountSteps(company, now));
  const usage = companies.map((company) => ({ company, ...usageOf(company, now) }));
  const waiting = new Set(usage);
  const score = async (at: TenantTransaction) => {
    const created = [...waiting].filter(({ company }) => company.accountId > 0);
    for (const item of created) waiting.delete(item);
    await importDays(
      present,
      created.flatMap(({ days }) => days),
    );
    await receiveEvents(
      present,
      created.flatMap(({ events }) => events),
    );
    await storeLastSeen(
      present,
      created.flatMap(({ company }) => lastSeenOf(company, now)),
    );
    // The counts by status and tier: `recompute` reads statuses as they are stored.
    await at.writeLate();
    await recompute(
      at,
      companies.flatMap(({ accountId }) => (accountId > 0 ? [accountId] : [])),
    );
  };
  const scoreTimes = scoreDays.map(
    (days) => weekdayAt(dayOf(now) - days) * millisecondsOfDay + scoreMilliseconds,
  );
  const scoreSteps = [...scoreTimes, now].map((at): Step => ({ at, run: score }));
  const past = new HistoryTransaction(tx, caller, reactions);
  for (const { at, run } of [...steps, ...scoreSteps].toSorted((a, b) => a.at - b.at)) {
    past.at = at;
    await run(past);
  }
  await receiveEvents(present, unmatchedEvents(now));
  await past.writeLate();
  await present.writeLate();
  return companies.length;
}

/** A contact of half of the companies is seen by another platform. */
function lastSeenOf({ externalId, stoppedDaysAgo, random }: Company, now: number): LastSeenItem[] {
  if (stoppedDaysAgo > 90 || random.next() > 0.5) return [];
  const lastSeenAt = now - (stoppedDaysAgo + random.integer(0, 9)) * millisecondsOfDay;
  const userId = `${externalId.toLowerCase()}-${random.integer(1, 2)}`;
  return [{ userId, source: random.item(platforms), lastSeenAt }];
}

/** A transaction with the time of the step of the history that it stores. */
class HistoryTransaction extends TenantTransaction {
  at = 0;

  override get now(): number {
    return this.at;
  }
}
