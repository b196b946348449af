import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { folder, output } from "./binary.ts";
import { quickstart } from "./served-quickstart.ts";

setDefaultTimeout(60_000);
const day = 24 * 3_600_000;

// One quickstart for all tests, which only read: it ends when none of them runs.
let cwd: string;
let running: Awaited<ReturnType<typeof quickstart>>;
const get = (path: string) => running.get(path);
beforeAll(async () => {
  cwd = folder();
  running = await quickstart(cwd);
});

test.concurrent("The quickstart creates data/quickstart.db with 503 accounts of one organization; externalId is the symbol", async () => {
  expect(existsSync(join(cwd, "data/quickstart.db"))).toBe(true);
  const organizations = await output(
    ["organizations", "list", "--json", "--database", "data/quickstart.db"],
    { cwd },
  );
  expect(JSON.parse(organizations)).toHaveLength(1);
  const { text, body } = await get("/api/v1/accounts");
  expect(body.pagination?.total, text).toBe(503);
  const apple = await get("/api/v1/accounts?externalId=AAPL");
  expect(apple.body.data).toMatchObject([{ name: "Apple Inc.", externalId: "AAPL" }]);
});

test.concurrent("Every status filter of the quickstart returns an account, and every order has another first page", async () => {
  for (const status of ["active", "onboarding", "churned", "inactive"]) {
    const { body } = await get(`/api/v1/accounts?status=${status}`);
    expect(body.data.length, status).toBeGreaterThan(0);
  }
  const pages = new Map<string, string>();
  for (const sortBy of ["name", "mrr", "createdAt", "updatedAt"]) {
    for (const sortOrder of ["asc", "desc"]) {
      const { body } = await get(`/api/v1/accounts?sortBy=${sortBy}&sortOrder=${sortOrder}`);
      pages.set(`${sortBy} ${sortOrder}`, body.data.map((row: { id: number }) => row.id).join());
    }
  }
  expect(new Set(pages.values()).size, JSON.stringify([...pages])).toBe(8);
});

test.concurrent("Some accounts of the quickstart have contacts, past meetings and requests", async () => {
  const { body } = await get("/api/v1/accounts?pageSize=20");
  const accounts = await Promise.all(
    body.data.map(async ({ id }: { id: number }) => (await get(`/api/v1/accounts/${id}`)).body.data),
  );
  for (const list of ["contacts", "meetings", "requests"])
    expect(
      accounts.some((account) => account[list].length > 0),
      list,
    ).toBe(true);
  const ends = accounts.flatMap(({ meetings }) => meetings.map(({ endAt }: { endAt: string }) => endAt));
  expect(ends.filter((at) => Date.parse(at) > Date.now())).toEqual([]);
});

type TierSummary = { tier: string | null; accounts: number };

/** The tiers of the summary, after the score job has caught up or ten seconds have passed. */
async function summarizedTiers(): Promise<TierSummary[]> {
  for (const deadline = Date.now() + 10_000; ; await Bun.sleep(20)) {
    const tiers: TierSummary[] = (await get("/api/v1/health/summary")).body.data.tiers;
    if (Date.now() > deadline || tiers.every(({ accounts }) => accounts > 20)) return tiers;
  }
}

test.concurrent("The quickstart's accounts have health of every tier, every factor and source, and pending events", async () => {
  const tiers = await summarizedTiers();
  for (const { tier, accounts } of tiers) expect(accounts, String(tier)).toBeGreaterThan(20);
  expect(tiers).toHaveLength(5);
  const pages = await Promise.all(
    [1, 2, 3, 4, 5].map((page) => get(`/api/v1/accounts?pageSize=100&page=${page}`)),
  );
  const healths = await Promise.all(
    pages
      .flatMap(({ body }) => body.data)
      .map(async ({ id }: { id: number }) => (await get(`/api/v1/accounts/${id}/health`)).body.data),
  );
  const sources = healths.map(({ contactActivity }) => contactActivity.source);
  expect([...new Set(sources)].sort()).toEqual(
    [null, "api", "e-mail", "event", "helpdesk", "meeting"].sort(),
  );
  const factorScores = new Set(
    healths.flatMap(({ factors }) =>
      factors.map(({ key, score }: { key: string; score: number }) => `${key} ${score}`),
    ),
  );
  expect(new Set([...factorScores].map((score) => score.split(" ")[0])).size).toBe(6);
  for (const key of ["contactActivity", "usageRecency", "usageTrend"])
    for (const score of [100, 80, 60, 40, 20]) expect(factorScores).toContain(`${key} ${score}`);
  const unmatched = (await get("/api/v1/events/unmatched")).body.data;
  expect(unmatched.map(({ externalId }: { externalId: string }) => externalId).sort()).toEqual([
    "Acme Ltd",
    "NEWCO",
    "trial-20418",
  ]);
});

test.concurrent("The key of the quickstart expires after 24 hours", async () => {
  const text = await output(["keys", "list", "--json", "--database", "data/quickstart.db"], { cwd });
  const keys: { createdAt: string; expiresAt: string; lastFour: string }[] = JSON.parse(text);
  expect(keys.map(({ lastFour }) => lastFour)).toEqual([running.key.slice(-4)]);
  expect(keys.map(({ createdAt, expiresAt }) => Date.parse(expiresAt) - Date.parse(createdAt))).toEqual([
    day,
  ]);
});

test.concurrent("No change of the quickstart has a time in the future", async () => {
  const { body } = await get("/api/v1/accounts?sortBy=updatedAt&sortOrder=desc&pageSize=100");
  const dates = body.data.flatMap((row: { createdAt: string; updatedAt: string }) => [
    row.createdAt,
    row.updatedAt,
  ]);
  expect(dates).toHaveLength(200);
  expect(dates.filter((at: string) => Date.parse(at) > Date.now())).toEqual([]);
});
