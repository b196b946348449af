import { numberAt } from "../tests/support/random.ts";
import { changesPerAccount } from "./changes.ts";
import { externalIdOf } from "./companies.ts";
import type { Org } from "./data.ts";

/** A request of the benchmark. Bodies are JSON in ASCII. */
export type BenchRequest = { method: "GET" | "POST" | "PATCH"; path: string; key: string; body?: string };

/** The series of pseudo-random numbers for each kind of choice. */
const series = { account: 1, mrr: 2, event: 3, user: 4, mix: 5 } as const;
const eventNames = ["report.exported", "login", "page.viewed", "seat.added", "search.run"];
export const eventsOfRequest = 100;
export const accountsOfBatch = 1_000;
export const changesOfPage = 1_000;

/** The requests of the works. The n-th is always the same, except for the timestamps of events, which are recent. */
export const requests = {
  getOne: (org: Org, n: number): BenchRequest => get(org, `/api/v1/accounts/${accountIdAt(org, n)}`),

  list: (org: Org, page = 1): BenchRequest => get(org, `/api/v1/accounts?page=${page}&pageSize=25`),

  rareStatus: (org: Org): BenchRequest =>
    get(org, "/api/v1/accounts?page=1&pageSize=25&sortBy=mrr&sortOrder=desc&status=churned"),

  search: (org: Org, needle: string): BenchRequest =>
    get(org, `/api/v1/accounts?page=1&pageSize=25&search=${encodeURIComponent(needle)}`),

  /** A list with other parameters, such as `sortBy=mrr`. */
  listBy: (org: Org, query: string): BenchRequest => get(org, `/api/v1/accounts?pageSize=25&${query}`),

  /** New accounts in one request of `/api/v1/accounts/batch`. */
  upsert: (org: Org, n: number): BenchRequest => ({
    method: "POST",
    path: "/api/v1/accounts/batch",
    key: org.key,
    body: `{"accounts":[${newAccounts(n, "upsert").join()}]}`,
  }),

  /** A page of 1,000 changes of an organization with the changes of `fillChanges`; the first page follows the last one. */
  feed: (org: Org, n: number): BenchRequest => {
    const pageCount = Math.floor((org.accounts * changesPerAccount) / changesOfPage);
    return get(org, `/api/v1/changes?limit=${changesOfPage}&after=${(n % pageCount) * changesOfPage}`);
  },

  health: (org: Org): BenchRequest => get(org, "/api/v1/health?page=1&pageSize=25&sortBy=score"),

  /** `prefix` separates the new external ids of different works. */
  create: (org: Org, n: number, prefix: string): BenchRequest => ({
    method: "POST",
    path: "/api/v1/accounts",
    key: org.key,
    body: newAccount(n, prefix),
  }),

  update: (org: Org, n: number): BenchRequest => ({
    method: "PATCH",
    path: `/api/v1/accounts/${accountIdAt(org, n)}`,
    key: org.key,
    body: `{"mrr":${mrrAt(n)},"contactActivityAt":"${new Date(updatedFrom + n * 1000).toISOString()}"}`,
  }),

  events: (org: Org, n: number): BenchRequest => ({
    method: "POST",
    path: "/api/v1/events",
    key: org.key,
    body: `{"events":[${eventsAt(org, n)}]}`,
  }),

  /** 80 % get, 10 % list, 5 % search, 3 % update, 2 % create. */
  mix: (org: Org, n: number): BenchRequest =>
    mixOf(org, n, "mix", { get: 80, list: 90, search: 95, update: 98 }),
};

function newAccount(n: number, prefix: string): string {
  return `{"name":"Newcomer ${n} ${prefix}","externalId":"${prefix}-${n}","mrr":${mrrAt(n)},"status":"active"}`;
}

function newAccounts(n: number, prefix: string): string[] {
  return Array.from({ length: accountsOfBatch }, (_, i) => newAccount(n * accountsOfBatch + i, prefix));
}

function mixOf(org: Org, n: number, prefix: string, { get, list, search, update }: Shares): BenchRequest {
  const share = numberAt(series.mix, n) * 100;
  if (share < get) return requests.getOne(org, n);
  if (share < list) return requests.list(org);
  if (share < search)
    return requests.search(org, share < (list + search) / 2 ? org.needles.frequent : org.needles.rare);
  return share < update ? requests.update(org, n) : requests.create(org, n, prefix);
}
/** The percentages at which each kind of request ends; the rest are creates. */
type Shares = { get: number; list: number; search: number; update: number };

const updatedFrom = Date.UTC(2025, 5, 2);

function get({ key }: Org, path: string): BenchRequest {
  return { method: "GET", path, key };
}

function accountIdAt({ firstAccountId, accounts }: Org, n: number): number {
  return firstAccountId + Math.floor(numberAt(series.account, n) * accounts);
}

function mrrAt(n: number): number {
  return Math.round(numberAt(series.mrr, n) * 1_000_000) / 100;
}

function eventsAt(org: Org, n: number): string {
  const now = Date.now();
  const events: string[] = [];
  for (let i = n * eventsOfRequest; i < (n + 1) * eventsOfRequest; i++) {
    const event = eventNames[Math.floor(numberAt(series.event, i) * eventNames.length)];
    const timestamp = new Date(now - Math.floor(numberAt(series.event, ~i) * 3000)).toISOString();
    const messageId = `01JB${i.toString(36).padStart(10, "0").toUpperCase()}XKQ7M3`;
    const userId = `user-${Math.floor(numberAt(series.user, i) * 20)}`;
    events.push(
      `{"event":"${event}","externalId":"${externalIdAt(org, i)}","messageId":"${messageId}","timestamp":"${timestamp}","userId":"${userId}","properties":{"rows":12}}`,
    );
  }
  return events.join();
}

/** The external id of the account chosen by `n`, or of the next account that has one. */
function externalIdAt(org: Org, n: number): string {
  for (let index = accountIdAt(org, n) - org.firstAccountId; ; index = (index + 1) % org.accounts) {
    const externalId = externalIdOf(org.id, index);
    if (externalId !== null) return externalId;
  }
}
