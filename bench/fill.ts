import type { Database } from "bun:sqlite";
import { UNSCORED_RANK } from "../db/schema.ts";
import { hashSecret } from "../src/api-keys/secret.ts";
import { fold } from "../src/core/folding.ts";
import { computeHealth, findNextChange } from "../src/health-scores/score.ts";
import { defaultHealthSettings } from "../src/shared/health.ts";
import { type Account, accountOf, lastAt, type SubResources, subResourcesOf } from "./companies.ts";
import type { Plan } from "./organizations.ts";

/** Half a year after the last timestamp, when no score changes with time any more. */
const settledAt = lastAt + 181 * 86_400_000;

/** Inserts the rows that the service would have inserted, in one transaction, and then creates the indexes. */
export function fill(database: Database, plans: Plan[]): void {
  database.run("PRAGMA journal_mode = OFF");
  database.run("PRAGMA synchronous = OFF");
  database.run("PRAGMA cache_size = -524288");
  type Index = { name: string; sql: string };
  const indexes = database
    .query<Index, []>("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
    .all();
  for (const { name } of indexes) database.run(`DROP INDEX ${name}`);
  database.transaction(() => {
    const rows = inserts(database);
    for (const plan of plans) addOrganization(rows, plan);
    database.run(
      "INSERT INTO account_counts SELECT organization_id, status, count(*) FROM accounts GROUP BY 1, 2",
    );
  })();
  for (const { sql } of indexes) database.run(sql);
  database.run("PRAGMA journal_mode = WAL");
}

function inserts(database: Database) {
  const into = (table: string, columns: string) => {
    const marks = columns.replaceAll(/\w+/g, "?");
    return database.prepare(`INSERT INTO ${table} (${columns}) VALUES (${marks})`);
  };
  return {
    organization: into("organizations", "id, name, folded_name, created_at"),
    key: into("api_keys", "organization_id, name, hash, last_four, created_at"),
    account: into(
      "accounts",
      "id, organization_id, name, folded_name, external_id, folded_external_id, mrr, status, logo_url, contact_activity_at, created_at, updated_at",
    ),
    contact: into(
      "contacts",
      "organization_id, account_id, name, folded_name, email, folded_email, created_at, updated_at",
    ),
    meeting: into(
      "meetings",
      "organization_id, account_id, title, folded_title, start_at, end_at, created_at, updated_at",
    ),
    request: into(
      "requests",
      "organization_id, account_id, title, folded_title, status, severity, requested_at, resolved_at, created_at, updated_at",
    ),
    health: into(
      "account_health",
      "organization_id, account_id, score, tier, coverage, rank, mrr, folded_name, changes_at",
    ),
  };
}
type Inserts = ReturnType<typeof inserts>;

function addOrganization(rows: Inserts, plan: Plan): void {
  const { id, key, accounts, firstAccountId, accountsPerParent } = plan;
  const name = `Organization ${id}`;
  rows.organization.run(id, name, fold(name), 0);
  rows.key.run(id, "bench", hashSecret(key), key.slice(-4), 0);
  for (let index = 0; index < accounts; index++) {
    const account = accountOf(id, index, accounts);
    const children = index % accountsPerParent === 0 ? subResourcesOf(id, index, account) : none;
    addAccount(rows, { organizationId: id, accountId: firstAccountId + index }, account, children);
  }
}

const none: SubResources = { contacts: [], meetings: [], requests: [] };

function addAccount(
  rows: Inserts,
  { organizationId, accountId }: { organizationId: number; accountId: number },
  account: Account,
  children: SubResources,
): void {
  const { name, externalId, mrr, status, logoUrl, contactActivityAt, createdAt, updatedAt } = account;
  const foldedName = fold(name);
  const foldedId = externalId === null ? null : fold(externalId);
  const times = [contactActivityAt, createdAt, updatedAt];
  const accountKey = [organizationId, accountId] as const;
  rows.account.run(
    accountId,
    organizationId,
    name,
    foldedName,
    externalId,
    foldedId,
    mrr,
    status,
    logoUrl,
    ...times,
  );
  for (const { name: full, email, createdAt: at } of children.contacts)
    rows.contact.run(...accountKey, full, fold(full), email, fold(email), at, at);
  for (const { title, startAt, endAt, createdAt: at } of children.meetings)
    rows.meeting.run(...accountKey, title, fold(title), startAt, endAt, at, at);
  for (const { title, status: is, severity, requestedAt: at, resolvedAt } of children.requests)
    rows.request.run(...accountKey, title, fold(title), is, severity, at, resolvedAt, at, resolvedAt ?? at);
  const { score, tier, coverage, dueAt } = scoreOf(account, children);
  rows.health.run(...accountKey, score, tier, coverage, score ?? UNSCORED_RANK, mrr, foldedName, dueAt);
}

/** Computed by the service's function, and cached: old accounts have few different scores. */
const scores = new Map<string, ReturnType<typeof computeScore>>();

function scoreOf(account: Account, { meetings, requests }: SubResources) {
  const open = requests.filter((request) => request.resolvedAt === null);
  const openSeverity = open.reduce((total, request) => total + request.severity, 0);
  const seen = account.contactActivityAt !== null;
  const key = `${account.status} ${seen} ${requests.length} ${openSeverity} ${meetings.length}`;
  const score = scores.get(key) ?? computeScore(account, requests.length, openSeverity, meetings.length);
  scores.set(key, score);
  return score;
}

function computeScore(
  { status, contactActivityAt }: Account,
  requests: number,
  openSeverity: number,
  meetings: number,
) {
  const unused = { lastSeen: [], lastEventAt: null, usage: { recent: 0, before: 0, today: 0 } };
  const noTimes = { openTime: 0, resolved: 0, resolvedTime: 0, oldestResolvedAt: null, nextAt: null };
  const inputs = {
    ...unused,
    status,
    contactActivityAt,
    requests: { open: requests, openSeverity, ...noTimes },
    meetings: { lastAt: null, recent: 0, oldestRecentAt: null, nextAt: null },
  };
  const rules = { settings: defaultHealthSettings, hasMeetings: meetings > 0, hasRequests: requests > 0 };
  const { score, tier, coverage } = computeHealth(inputs, settledAt, rules);
  return { score, tier, coverage, dueAt: findNextChange(inputs, settledAt, rules) };
}
