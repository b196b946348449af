import { expect, test } from "bun:test";
import { beginning } from "../support/world.ts";
import { day, type Factor, healthWorld, hour } from "./health-world.ts";

/** A health world with one account. */
async function accountWorld() {
  const here = await healthWorld();
  await here.account({ name: "Acme" });
  return here;
}

test("GET returns score, tier, coverage, asOf, contactActivity and factors", async () => {
  const here = await accountWorld();
  await here.change({ contactActivityAt: here.textOf(beginning - 4 * day) });
  await here.events(beginning - 20 * day, 10);
  await here.events(beginning - day, 9);
  await here.events(beginning, 100);
  await here.request({ status: "Done", requestedAt: here.textOf(beginning - 8 * day) });
  await here.request({ severity: 4 });
  await here.meeting(beginning);
  here.pass(hour);
  const reply = await here.call("GET", "/api/v1/accounts/1/health");
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    data: {
      score: 77,
      tier: "attention",
      coverage: 1,
      asOf: "2026-01-02T04:04:05.678Z",
      contactActivity: { at: "2025-12-29T03:04:05.678Z", source: "api" },
      factors: [
        { key: "contactActivity", value: 4.04, score: 80, weight: 30, contribution: 24 },
        { key: "usageRecency", value: 0.04, score: 100, weight: 20, contribution: 20 },
        { key: "usageTrend", value: 0.9, score: 80, weight: 15, contribution: 12 },
        { key: "openRequests", value: 4, score: 60, weight: 15, contribution: 9 },
        { key: "meetings", value: 1, score: 40, weight: 10, contribution: 4 },
        { key: "requestResolution", value: 4.02, score: 80, weight: 10, contribution: 8 },
      ],
    },
  });
});

test("openRequests sums the severities of the requests that are neither Done nor Declined", async () => {
  const here = await accountWorld();
  expect(await here.factors()).toEqual({});
  for (const [index, status] of ["Done", "Open", "Planned", "Started", "Declined"].entries())
    await here.request({ status, severity: index + 1 });
  expect((await here.factors()).openRequests).toMatchObject({ value: 2 + 3 + 4, score: 40 });
  await here.changeRequest(2, { status: "Declined" });
  expect((await here.factors()).openRequests).toMatchObject({ value: 7, score: 60 });
  await here.changeRequest(1, { status: "Open", severity: 5 });
  expect((await here.factors()).openRequests).toMatchObject({ value: 12, score: 40 });
  for (const id of [1, 3, 4]) await here.changeRequest(id, { status: "Done" });
  expect((await here.factors()).openRequests).toMatchObject({ value: 0, score: 100 });
  for (const id of [1, 2, 3, 4, 5]) await here.call("DELETE", `/api/v1/requests/${id}`);
  expect(await here.factors()).toMatchObject({ openRequests: { value: 0, score: 100 } });
});

test("requestResolution is the mean of the days of requests resolved in the last 90 days, and of open ones", async () => {
  const here = await accountWorld();
  const ago = (days: number) => here.textOf(here.now() - days * day);
  await here.request({ requestedAt: ago(10), status: "Done" });
  here.pass(5 * day);
  await here.request({ requestedAt: ago(4), status: "Done" });
  await here.request({ requestedAt: ago(50), status: "Declined" });
  const { id } = await here.request({ requestedAt: ago(13) });
  expect((await here.factors()).requestResolution).toMatchObject({ value: 9, score: 60 });
  here.pass(3 * day);
  expect((await here.factors()).requestResolution).toMatchObject({ value: 10, score: 60 });
  await here.changeRequest(id, { status: "Declined" });
  expect((await here.factors()).requestResolution).toMatchObject({ value: 7, score: 60 });
  here.pass(82 * day - 1);
  expect((await here.factors()).requestResolution).toMatchObject({ value: 7, score: 60 });
  here.pass(1);
  expect((await here.factors()).requestResolution).toMatchObject({ value: 4, score: 80 });
  here.pass(5 * day);
  expect(Object.keys(await here.factors())).toEqual(["openRequests"]);
  await here.changeRequest(1, { status: "Open" });
  await here.changeRequest(1, { status: "Done" });
  expect((await here.factors()).requestResolution).toMatchObject({ value: 105, score: 20 });
});

test("meetings is the number that began in the last 180 days, and known once the organization had one", async () => {
  const here = await accountWorld();
  const { id: other } = await here.account({ name: "Globex" });
  expect(await here.factors()).toEqual({});
  await here.meeting(beginning + 1);
  await here.meeting(beginning + day);
  expect((await here.factors()).meetings).toMatchObject({ value: 0, score: 20 });
  here.pass(1);
  expect((await here.factors()).meetings).toMatchObject({ value: 1, score: 40 });
  here.pass(day);
  expect((await here.factors()).meetings).toMatchObject({ value: 2, score: 60 });
  here.pass(179 * day - 1);
  expect((await here.factors()).meetings).toMatchObject({ value: 2 });
  here.pass(1);
  expect((await here.factors()).meetings).toMatchObject({ value: 1 });
  here.pass(day);
  expect((await here.factors()).meetings).toMatchObject({ value: 0, score: 20 });
  for (const id of [1, 2]) await here.call("DELETE", `/api/v1/meetings/${id}`);
  const known = { meetings: { value: 0, score: 20 } };
  expect([await here.factors(), await here.factors("", other)]).toMatchObject([known, known]);
});

test("the factors of another organization's meetings and requests stay unknown", async () => {
  const here = await accountWorld();
  const { id } = await here.account({ name: "Theirs" }, here.second);
  await here.meeting(beginning);
  await here.request({});
  const { body } = await here.call("GET", `/api/v1/accounts/${id}/health`, undefined, here.second);
  expect(body.data.factors).toEqual([]);
});

test("usageRecency is the days since the last event of any name, at any time of receipt", async () => {
  const here = await accountWorld();
  await here.events(beginning - 3 * day);
  await here.events(beginning - 4 * day);
  const { factors, contactActivity } = await here.health();
  expect(factors.map((factor: Factor) => [factor.key, factor.value, factor.score])).toEqual([
    ["contactActivity", 3, 80],
    ["usageRecency", 3, 60],
  ]);
  expect(contactActivity).toEqual({ at: here.textOf(beginning - 3 * day), source: "event" });
  await here.call("POST", "/api/v1/events", { event: "other", accountId: 1 });
  expect((await here.factors()).usageRecency).toMatchObject({ value: 0, score: 100 });
  here.pass(400 * day);
  expect((await here.factors()).usageRecency).toMatchObject({ value: 400, score: 20 });
});

test("usageTrend compares the last 14 complete UTC days with the 14 before those", async () => {
  const here = await accountWorld();
  const midnight = Math.floor(beginning / day) * day;
  await here.events(midnight - 14 * day, 3);
  expect(Object.keys(await here.factors())).not.toContain("usageTrend");
  await here.events(midnight - 14 * day - 1, 4);
  await here.events(midnight, 50);
  expect((await here.factors()).usageTrend).toMatchObject({ value: 0.75, score: 60 });
  await here.events(midnight - 28 * day, 2);
  await here.events(midnight - 28 * day - 1, 100);
  expect((await here.factors()).usageTrend).toMatchObject({ value: 0.5, score: 40 });
  here.pass(midnight + day - 1 - beginning);
  expect((await here.factors()).usageTrend).toMatchObject({ value: 0.5, score: 40 });
  here.pass(1);
  expect((await here.factors()).usageTrend).toMatchObject({ value: 7.14, score: 100 });
});

test("the health of an account with many requests, meetings or days is computed from all of them", async () => {
  const { execute, factors, now } = await accountWorld();
  const rows = "WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 6000)";
  const [at, today] = [now() - day, Math.floor(now() / day)];
  await execute(`INSERT INTO requests (organization_id, account_id, title, folded_title, status, severity, requested_at,
    created_at, updated_at) ${rows} SELECT 1, 1, 'SSO', 'sso', 'Open', 2, ${at} - n, 0, 0 FROM number`);
  await execute(`INSERT INTO meetings (organization_id, account_id, title, folded_title, start_at, end_at, created_at,
    updated_at) ${rows} SELECT 1, 1, 'QBR', 'qbr', ${at} - n, ${at}, 0, 0 FROM number`);
  await execute(`INSERT INTO usage_days (organization_id, account_id, day, event, count, users, first_user, first_at, last_at)
    ${rows} SELECT 1, 1, ${today} - 1 - n % 28, 'e' || n, 1, 0, NULL, ${at - 28 * day}, ${at} FROM number`);
  await execute("UPDATE health_settings SET has_meetings = 1, has_requests = 1");
  expect(await factors()).toMatchObject({
    requestResolution: { value: 1 },
    openRequests: { value: 12_000 },
    meetings: { value: 6_000 },
    usageTrend: { value: 1 },
  });
});
