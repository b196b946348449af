import { expect, test } from "bun:test";
import { defaultHealthSettings } from "../../src/shared/health.ts";
import { storeKey } from "../support/keys.ts";
import type { Body } from "../support/world.ts";
import { day, healthWorld } from "./health-world.ts";

const path = "/api/v1/health/settings";
const changed = (change: (settings: typeof defaultHealthSettings) => void): Body => {
  const settings = structuredClone(defaultHealthSettings);
  change(settings);
  return settings;
};
const setAll = (factors: object, change: object): void => {
  for (const factor of Object.values(factors)) Object.assign(factor, change);
};
/** Without the other factors, the score is that of the contact activity alone. */
const onlyContact = changed(({ factors }) => {
  setAll(factors, { enabled: false });
  factors.contactActivity = { enabled: true, weight: 7, thresholds: [1, 2, 4, 8.5] };
});

async function settingsWorld() {
  const here = await healthWorld();
  const { engine, second: other } = here;
  const key = { organizationId: 1, name: "without admin", scopes: ["read", "write", "events"] as const };
  const limited = { key: (await storeKey(engine, { ...key, scopes: [...key.scopes] })).secret };
  const feed = async (query = "") => (await here.call("GET", `/api/v1/changes${query}`)).body.data;
  return {
    ...here,
    ...{ limited, other, feed },
    get: (options = {}) => here.call("GET", path, undefined, options),
    put: (body: Body, headers = {}) => here.call("PUT", path, body, { headers }),
    preview: async (body: Body) => (await here.call("POST", "/api/v1/health/preview", body)).body.data,
    tiers: async () => (await here.call("GET", "/api/v1/health/summary")).body.data.tiers,
  };
}

test("the settings are the defaults, can be put as they are, and have an entity tag", async () => {
  const { get, put, feed } = await settingsWorld();
  const reply = await get();
  expect([reply.status, reply.body]).toEqual([200, { data: defaultHealthSettings }]);
  const tag = reply.headers.get("etag");
  expect((await get({ headers: { "if-none-match": tag } })).status).toBe(304);
  const same = await put(reply.body.data, { "if-match": tag });
  expect([same.status, same.body, same.headers.get("etag")]).toEqual([200, reply.body, tag]);
  const replaced = await put(onlyContact, { "if-match": tag });
  expect([replaced.status, replaced.body]).toEqual([200, { data: onlyContact }]);
  expect((await put(reply.body.data, { "if-match": tag })).status).toBe(412);
  expect((await get()).headers.get("etag")).toBe(replaced.headers.get("etag"));
  // Without a tag, the last write wins.
  expect((await put(reply.body.data)).body).toEqual(reply.body);
  const common = { type: "health_settings.updated", resourceId: 1, accountId: null };
  const sides = [
    { before: defaultHealthSettings, after: onlyContact },
    { before: onlyContact, after: defaultHealthSettings },
  ];
  expect(await feed()).toMatchObject(sides.map((side) => ({ ...common, ...side })));
  for (const resource of ["account", "contact", "meeting", "request"])
    expect(await feed(`?resource=${resource}`)).toEqual([]);
});

test("settings change every score of the organization, and none of another one", async () => {
  const { put, other, health, list, scored, ids, call, textOf, now, feed } = await settingsWorld();
  for (const score of [100, 80, 60, 40, 20, null]) await scored(score);
  await scored(20, {}, other);
  expect(await ids()).toEqual([5, 4, 3, 2, 1, 6]);
  const before = (await feed()).length;
  expect((await put(onlyContact)).status).toBe(200);
  const rows = (await list("?sortBy=name")).body.data;
  const scores = rows.map(({ score, tier, coverage }: Body) => [score, tier, coverage]);
  expect(scores).toEqual([
    [100, "healthy", 1],
    [60, "attention", 1],
    [40, "at_risk", 1],
    [20, "critical", 1],
    [20, "critical", 1],
    [null, null, 0],
  ]);
  expect((await health("", 2)).factors).toMatchObject([{ key: "contactActivity", score: 60, weight: 7 }]);
  // The settings, and the tiers that differ.
  const types = (await feed(`?after=${before}`)).map(({ type }: Body) => type);
  expect(types).toEqual(["health_settings.updated", ...new Array(3).fill("account.health_changed")]);
  expect((await list("", other)).body.data).toMatchObject([{ score: 20, coverage: 0.3 }]);
  expect((await call("GET", path, undefined, other)).body.data).toEqual(defaultHealthSettings);
  // The present settings count for earlier times, too.
  const asOf = textOf(now() - day);
  expect((await health(`?asOf=${asOf}`, 2)).factors).toMatchObject([{ weight: 7 }]);
});

test("the tiers of settings are those of lists, and a change of tiers alone is recorded", async () => {
  const { put, scored, list, feed } = await settingsWorld();
  await scored(80);
  expect((await list()).body.data).toMatchObject([{ score: 80, tier: "healthy" }]);
  await put(changed(({ tiers }) => Object.assign(tiers, { healthy: 80.1, attention: 80, at_risk: 0 })));
  expect((await list()).body.data).toMatchObject([{ score: 80, tier: "attention" }]);
  expect((await feed()).at(-1)).toMatchObject({
    type: "account.health_changed",
    before: { tier: "healthy", score: 80 },
    after: { tier: "attention", score: 80 },
  });
});

test.each([
  [
    "/factors/meetings/thresholds/1",
    ({ factors }) => Object.assign(factors.meetings, { thresholds: [6, 6, 2, 1] }),
  ],
  [
    "/factors/openRequests/thresholds/3",
    ({ factors }) => Object.assign(factors.openRequests, { thresholds: [0, 3, 8, 7] }),
  ],
  [
    "/factors/usageTrend/thresholds/2",
    ({ factors }) => Object.assign(factors.usageTrend, { thresholds: [1.1, 0.9, 1, 0.4] }),
  ],
  [
    "/factors/usageTrend/thresholds/0",
    ({ factors }) => Object.assign(factors.usageTrend, { thresholds: [1.10001, 0.9, 0.5, 0] }),
  ],
  [
    "/factors/meetings/thresholds/3",
    ({ factors }) => Object.assign(factors.meetings, { thresholds: [3, 2, 1, -1] }),
  ],
  [
    "/factors/meetings/thresholds",
    ({ factors }) => Object.assign(factors.meetings, { thresholds: [3, 2, 1] }),
  ],
  ["/factors/meetings/weight", ({ factors }) => Object.assign(factors.meetings, { weight: 101 })],
  ["/factors/meetings/weight", ({ factors }) => Object.assign(factors.meetings, { weight: 1.5 })],
  ["/tiers/attention", ({ tiers }) => Object.assign(tiers, { attention: 80 })],
  ["/tiers/at_risk", ({ tiers }) => Object.assign(tiers, { at_risk: 60 })],
  ["/tiers/healthy", ({ tiers }) => Object.assign(tiers, { healthy: 100.1 })],
  ["/factors", ({ factors }) => setAll(factors, { weight: 0 })],
  ["/factors", ({ factors }) => setAll(factors, { enabled: false })],
] as [string, Parameters<typeof changed>[0]][])("%s is refused with its pointer", async (pointer, change) => {
  const { put, call, get } = await settingsWorld();
  for (const reply of [
    await put(changed(change)),
    await call("POST", "/api/v1/health/preview", changed(change)),
  ]) {
    expect([reply.status, reply.body.code]).toEqual([400, "invalid_request"]);
    expect(reply.body.errors.map((error: Body) => error.pointer)).toEqual([pointer]);
  }
  expect((await get()).body.data).toEqual(defaultHealthSettings);
});

test("a value of a wrong type or length is named as it should be", async () => {
  const { put } = await settingsWorld();
  const { factors, tiers } = defaultHealthSettings;
  const short = changed(({ factors }) => Object.assign(factors.meetings, { thresholds: [3, 2, 1] }));
  for (const [body, pointer, detail] of [
    [{ factors: [], tiers }, "/factors", "must be an object"],
    [{ factors, tiers: null }, "/tiers", "must be an object"],
    [short, "/factors/meetings/thresholds", "must have 4 elements"],
  ] as const)
    expect((await put(body)).body.errors).toMatchObject([{ pointer, detail }]);
});

test("a member that is missing is required, and only keys of scope admin store settings", async () => {
  const { put, call, get, limited } = await settingsWorld();
  const { meetings: _, ...factors } = defaultHealthSettings.factors;
  const missing = await put({ ...defaultHealthSettings, factors });
  expect(missing.body.errors).toMatchObject([{ pointer: "/factors/meetings", code: "required" }]);
  const reply = await call("PUT", path, onlyContact, limited);
  expect([reply.status, reply.body.code]).toEqual([403, "insufficient_scope"]);
  expect((await get()).body.data).toEqual(defaultHealthSettings);
});

test("the preview shows the tiers of other settings and stores nothing", async () => {
  const { scored, preview, tiers, put, call, other, feed } = await settingsWorld();
  for (const [i, score] of [100, 80, 60, 40, 20, null].entries()) await scored(score, { mrr: 2 ** i });
  await scored(100, { mrr: 1000 }, other);
  const before = await tiers();
  const { length } = await feed();
  expect((await preview(defaultHealthSettings)).tiers).toEqual(before);
  const found = await preview(onlyContact);
  expect(found).toEqual({
    tiers: [
      { tier: "healthy", accounts: 1, mrr: 1 },
      { tier: "attention", accounts: 1, mrr: 2 },
      { tier: "at_risk", accounts: 1, mrr: 4 },
      { tier: "critical", accounts: 2, mrr: 24 },
      { tier: null, accounts: 1, mrr: 32 },
    ],
  });
  expect(await tiers()).toEqual(before);
  expect(await feed()).toHaveLength(length);
  await put(onlyContact);
  expect(await tiers()).toEqual(found.tiers);
  const { body } = await call("POST", "/api/v1/health/preview", onlyContact, other);
  expect(body.data.tiers[0]).toEqual({ tier: "healthy", accounts: 1, mrr: 1000 });
});

test("the preview of many accounts is scaled from a sample, evenly by id", async () => {
  const { execute, preview, textOf, now } = await settingsWorld();
  const rows = "WITH RECURSIVE number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 5999)";
  await execute(`INSERT INTO accounts (organization_id, name, folded_name, mrr, status, created_at, updated_at, contact_activity_at)
    ${rows} SELECT 1, 'Acme', 'acme', 10, 'active', 0, 0, CASE WHEN n < 3000 THEN ${now()} ELSE ${now() - 9 * day} END FROM number`);
  await execute("INSERT INTO account_counts VALUES (1, 'active', 'none', 6000)");
  expect(textOf(now())).toBeString();
  const { tiers, sampled } = await preview(onlyContact);
  expect(sampled).toBe(2000);
  expect(tiers).toEqual([
    { tier: "healthy", accounts: 3000, mrr: 30_000 },
    ...["attention", "at_risk"].map((tier) => ({ tier, accounts: 0, mrr: 0 })),
    { tier: "critical", accounts: 3000, mrr: 30_000 },
    { tier: null, accounts: 0, mrr: 0 },
  ]);
});

test("a list waits for at most 1,000 scores to be computed again; with more, it shows what is stored", async () => {
  const { execute, put, list, rows, now, jobs } = await settingsWorld();
  const add = (count: number) =>
    execute(`INSERT INTO accounts (organization_id, name, folded_name, mrr, status, created_at, updated_at, contact_activity_at)
      WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${count})
      SELECT 1, 'Acme', 'acme', 10, 'active', 0, 0, ${now()} FROM number`);
  await add(1001);
  await execute("INSERT INTO account_counts VALUES (1, 'active', 'none', 1001)");
  await put(onlyContact);
  const scored = async () =>
    (await rows<{ count: number }>("SELECT count(*) AS count FROM accounts WHERE score = 100"))[0]?.count;
  expect((await list("?pageSize=1")).status).toBe(200);
  expect(await scored()).toBe(0);
  await jobs.steps.rescoring?.(jobs.tenant(1));
  expect((await list("?pageSize=1")).status).toBe(200);
  expect(await scored()).toBe(1001);
});

test("a job computes all scores again, from where it was when it ended", async () => {
  const { execute, put, rows, jobs, now } = await settingsWorld();
  const numbers = "WITH RECURSIVE number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 249)";
  await execute(`INSERT INTO accounts (organization_id, name, folded_name, mrr, status, created_at, updated_at, contact_activity_at)
    ${numbers} SELECT 1, 'Acme', 'acme', 10, 'active', 0, 0, ${now()} FROM number`);
  await execute("INSERT INTO account_counts VALUES (1, 'active', 'none', 250)");
  await put(onlyContact);
  const scoredCount = async () =>
    (await rows<{ count: number }>("SELECT count(*) AS count FROM accounts WHERE score = 100"))[0]?.count;
  const due = async () => (await jobs.listDue([1]))[0]?.jobs.includes("rescoring");
  expect([await scoredCount(), await due()]).toEqual([0, true]);
  await jobs.steps.rescoring?.(jobs.tenant(1));
  expect([await scoredCount(), await due()]).toEqual([100, true]);
  while (await jobs.steps.rescoring?.(jobs.tenant(1)));
  expect([await scoredCount(), await due()]).toEqual([250, false]);
});

test("a new account has the coverage of its organization, and the score that the settings give it", async () => {
  const { put, account, meeting, request, list, health, now, jobs } = await settingsWorld();
  const { id } = await account({ name: "Acme" });
  await meeting(now());
  await request({});
  const listed = async (name: string) => {
    await account({ name });
    const { data } = (await list("?sortBy=name")).body;
    return data.find((row: Body) => row.name === name);
  };
  expect(await listed("Before the job")).toMatchObject({ coverage: 0.25, score: null });
  expect((await jobs.listDue([1]))[0]?.jobs).not.toContain("rescoring");
  expect(await listed("After the job")).toMatchObject({ coverage: 0.25, score: null });
  await put(changed(({ factors }) => Object.assign(factors.openRequests, { weight: 50 })));
  expect(await listed("Before")).toMatchObject({ coverage: 0.44, score: 86.7, tier: "healthy" });
  expect(await listed("Then")).toMatchObject({ coverage: 0.44, score: 86.7, tier: "healthy" });
  expect(await health("", id)).toMatchObject({ coverage: 0.74 });
});

test("the row of an organization that a server of the version before created is added by the job", async () => {
  const { execute, account, meeting, list, rows, now, jobs } = await settingsWorld();
  await account({ name: "Acme" });
  await execute("DELETE FROM health_settings WHERE organization_id = 1");
  await meeting(now());
  expect((await jobs.listDue([1]))[0]?.jobs).toContain("rescoring");
  await account({ name: "Globex" });
  expect((await list("?sortBy=name")).body.data).toMatchObject([{ coverage: 0.4 }, { coverage: 0.1 }]);
  expect(
    await rows(
      "SELECT has_meetings, has_requests, rescored_id FROM health_settings WHERE organization_id = 1",
    ),
  ).toEqual([{ has_meetings: 1, has_requests: 0, rescored_id: null }]);
  expect((await jobs.listDue([1]))[0]?.jobs).not.toContain("rescoring");
});
