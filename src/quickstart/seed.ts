import { parse } from "csv-parse/sync";
import { requestStatuses } from "../../db/schema.ts";
import type { Engine } from "../../db/sqlite/engine.ts";
import { createAccount, updateAccount } from "../accounts/store.ts";
import { contactStore } from "../contacts/store.ts";
import { Tenant, type TenantTransaction } from "../core/tenant.ts";
import { millisecondsOfDay as day, formatTimestamp } from "../core/timestamps.ts";
import { featureRequestStore } from "../feature-requests/store.ts";
import { meetingStore } from "../meetings/store.ts";
import companies from "./sp500.csv" with { type: "text" };
import { seedUsage } from "./usage.ts";

type Company = { Symbol: string; Security: string; CIK: string };

const hour = 3_600_000;
const people = ["Operations", "Finance", "Product", "Support"];
const topics = ["Kickoff", "Quarterly review", "Training", "Renewal"];
const wishes = ["Single sign-on", "Export to spreadsheet", "Audit trail", "Faster reports", "Mobile view"];
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

/**
 * Stores the companies as accounts of an organization, with invented revenue, statuses, contacts, past
 * meetings, requests and usage: the same for the same `now` (milliseconds). Returns how many accounts there are.
 */
export async function seedCompanies(engine: Engine, organizationId: number, now: number): Promise<number> {
  const rows = parse(companies, { columns: true }) as Company[];
  await Promise.all(rows.map((company, i) => seedAccount(engine, organizationId, company, i, now)));
  const accounts = rows.map(({ Symbol: externalId, CIK }, i) => ({ externalId, number: Number(CIK) + i }));
  await seedUsage(new Tenant(engine, organizationId, now), accounts);
  return accounts.length;
}

async function seedAccount(
  engine: Engine,
  organizationId: number,
  company: Company,
  i: number,
  now: number,
): Promise<void> {
  const number = Number(company.CIK) + i;
  const at = (daysAgo: number) => new Tenant(engine, organizationId, now - daysAgo * day + i * 1000);
  const status = statuses[i % statuses.length] ?? "active";
  const account = await createAccount(at(400 - (number % 365)), {
    name: company.Security,
    externalId: company.Symbol,
    mrr: (number % 900_000) / 100,
    status: status === "inactive" ? "active" : status,
  });
  await at(30).write((tx) => seedLists(tx, account.id, company.Symbol, number, now));
  if (status === "inactive") await updateAccount(at(20), account.id, { status });
  if (number % 3 === 0)
    await updateAccount(at(number % 20), account.id, {
      contactActivityAt: formatTimestamp(now - (number % 60) * day),
    });
}

async function seedLists(
  tx: TenantTransaction,
  accountId: number,
  symbol: string,
  number: number,
  now: number,
): Promise<void> {
  const createdAt = now - 30 * day;
  for (let k = 0; k <= number % 3; k++) {
    const name = `${people[(number + k) % people.length]} at ${symbol}`;
    const email =
      k === 2
        ? null
        : `${people[(number + k) % people.length]?.toLowerCase()}@${symbol.toLowerCase()}.example`;
    await contactStore.add(tx, accountId, { name, email }, createdAt);
  }
  for (let k = 0; k < number % 5; k++) {
    const startAt = now - ((number % 25) + k * 30 + 1) * day;
    const title = topics[k % topics.length] ?? "";
    const [begin, end] = [formatTimestamp(startAt), formatTimestamp(startAt + hour)];
    await meetingStore.add(tx, accountId, { title, startAt: begin, endAt: end }, createdAt);
  }
  for (let k = 0; k < number % 4; k++) {
    const status = requestStatuses[(number + k) % requestStatuses.length] ?? "Open";
    const title = wishes[(number + k) % wishes.length] ?? "";
    const requestedAt = now - ((number % 40) + k * 20 + 1) * day;
    const given = { title, severity: ((number + k) % 5) + 1, requestedAt: formatTimestamp(requestedAt) };
    const resolvedAt = requestedAt + Math.floor((now - requestedAt) / ((number % 12) + 1));
    await featureRequestStore.add(tx, accountId, { ...given, status }, resolvedAt);
  }
}
