import { createAccount, updateAccount } from "../accounts/store.ts";
import { contactStore } from "../contacts/store.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { dayOf, formatTimestamp, millisecondsOfDay, millisecondsOfMinute } from "../core/timestamps.ts";
import { featureRequestStore } from "../feature-requests/store.ts";
import { meetingStore } from "../meetings/store.ts";
import { type Company, weekdayAt } from "./companies.ts";
import { firstNames, lastNames, meetingTitles, requestTitles, roles } from "./names.ts";

/** The statuses that requests get later. */
const outcomes = {
  content: ["Done", "Done", "Done", "Done", "Planned", "Started", "Declined"],
  others: ["Open", "Open", "Planned", "Started", "Done", "Declined"],
} as const;

/** One change of the generated history. `at`: milliseconds since 1970 UTC. */
export type Step = { at: number; run: (tx: TenantTransaction) => Promise<unknown> };

/** The changes of the account of a company, in any order, none after `now`. */
export function accountSteps(company: Company, now: number): Step[] {
  const { externalId, mrr, random, habit, createdAt, stoppedDaysAgo } = company;
  const ageDays = (now - createdAt) / millisecondsOfDay;
  const status = ageDays < 45 ? "onboarding" : "active";
  const formerMrr = random.next() < 0.12 ? Math.round(mrr * random.item([0.8, 1.3])) : mrr;
  const update = (daysAgo: number, input: Parameters<typeof updateAccount>[2]): Step => ({
    at: timeOf(company, now, daysAgo),
    run: (tx) => updateAccount(tx, externalId, input),
  });
  const steps: Step[] = [
    { at: createdAt, run: (tx) => createWithContacts(tx, company, { mrr: formerMrr, status }) },
    ...meetingSteps(company, now, ageDays),
    ...requestSteps(company, now, ageDays),
  ];
  if (formerMrr !== mrr) steps.push(update(random.integer(1, 60), { mrr }));
  if (habit === "left")
    steps.push(update(stoppedDaysAgo - 15, { status: random.next() < 0.6 ? "churned" : "inactive" }));
  const contactActivityAt = formatTimestamp(timeOf(company, now, random.integer(8, 60)));
  if (random.next() < 0.04) steps.push(update(random.integer(0, 4), { contactActivityAt }));
  return steps;
}

/** The time of a change some days ago: on a weekday from 8:00 to 18:00 UTC, after the account was created. */
function timeOf({ createdAt, random }: Company, now: number, daysAgo: number): number {
  const midnight = weekdayAt(dayOf(now) - daysAgo) * millisecondsOfDay;
  const time = midnight + random.integer(8 * 3600, 18 * 3600) * 1000;
  return Math.min(now, Math.max(createdAt + millisecondsOfMinute, time));
}

async function createWithContacts(
  tx: TenantTransaction,
  company: Company,
  initial: { mrr: number; status: "onboarding" | "active" },
): Promise<void> {
  const { externalId, name, attributes, random } = company;
  const { id: accountId } = await createAccount(tx, { name, externalId, attributes, ...initial });
  company.accountId = accountId;
  const domain = `${externalId.toLowerCase().replace(".", "-")}.example`;
  const start = random.integer(0, firstNames.length - 1);
  const count = random.integer(2, 3);
  for (let k = 0; k < count; k++) {
    const [first, last] = [firstNames[(start + k) % firstNames.length], random.item(lastNames)];
    const input = {
      name: `${first} ${last}`,
      email: `${first}.${last}@${domain}`.toLowerCase(),
      userId: `${externalId.toLowerCase()}-${k + 1}`,
      attributes: { role: roles[(start + k) % roles.length] ?? "" },
    };
    await contactStore.upsert(tx, { input, accountId });
  }
}

/** A kickoff, meetings at a distance that depends on the plan, and the next one. None takes place at the time of `now`. */
function meetingSteps(company: Company, now: number, ageDays: number): Step[] {
  const { random, habit, stoppedDaysAgo } = company;
  const gap = { Starter: 80, Growth: 50 }[company.attributes.plan] ?? 30;
  const daysAgo: number[] = [];
  if (stoppedDaysAgo === 0 && random.next() < 0.5) daysAgo.push(-random.integer(3, 21));
  // Customers who have stopped are still met.
  const first = (habit === "stopped" ? 0 : stoppedDaysAgo) + random.integer(2, gap);
  for (let days = first; days < Math.min(ageDays - 8, 130); days += gap + random.integer(-15, 15))
    daysAgo.push(days);
  const kickoff = Math.floor(ageDays - 4);
  if (kickoff > 1 && habit !== "silent") daysAgo.push(kickoff);
  return daysAgo.map((days) => {
    const title = days === kickoff ? "Kickoff" : random.item(meetingTitles);
    const startAt = officeTime(now, days, random.integer(0, 5));
    const input = {
      title,
      startAt: formatTimestamp(startAt),
      endAt: formatTimestamp(startAt + random.item([30, 45, 60]) * millisecondsOfMinute),
    };
    return {
      at: timeOf(company, now, Math.max(days + 4, random.integer(0, 3))),
      run: (tx) => meetingStore.upsert(tx, { input, accountId: company.accountId }),
    };
  });
}

/** A time from 14:00 to 16:30 UTC on a weekday, which is within the office hours of Europe and of America. */
function officeTime(now: number, daysAgo: number, halfHour: number): number {
  const day = weekdayAt(dayOf(now) - daysAgo);
  return day * millisecondsOfDay + (14 * 60 + halfHour * 30) * millisecondsOfMinute;
}

/** Customers whose use declines have severe requests that stay open, and those whose use stopped this week a new one. */
function requestSteps(company: Company, now: number, ageDays: number): Step[] {
  const { random, habit } = company;
  const isContent = habit === "steady" || habit === "growing";
  const latest = Math.ceil(Math.min(120, ageDays));
  const requested = Array.from({ length: random.integer(0, 3) }, () => random.integer(1, latest));
  if (habit === "falling") requested.push(random.integer(1, 6));
  return requested.flatMap((daysAgo): Step[] => {
    const input = {
      title: random.item(requestTitles),
      severity: isContent ? random.integer(1, 3) : random.integer(2, 5),
    };
    const status = random.item(outcomes[isContent ? "content" : "others"]);
    const changedDaysAgo = daysAgo - (isContent ? random.integer(1, 9) : random.integer(6, 40));
    let request: Awaited<ReturnType<typeof featureRequestStore.create>> | undefined;
    const create: Step = {
      at: timeOf(company, now, daysAgo),
      run: async (tx) => {
        const created = await featureRequestStore.upsert(tx, { input, accountId: company.accountId });
        request = created.row;
      },
    };
    const change: Step = {
      at: Math.max(create.at, timeOf(company, now, changedDaysAgo)),
      run: (tx) => featureRequestStore.upsert(tx, { existing: request, input: { status } }),
    };
    return status === "Open" || changedDaysAgo < 1 ? [create] : [create, change];
  });
}
