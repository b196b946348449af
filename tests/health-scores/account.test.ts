import { expect, test } from "bun:test";
import { beginning } from "../support/world.ts";
import { day, healthWorld, hour } from "./health-world.ts";

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
  const { id } = await here.request({});
  await here.call("DELETE", `/api/v1/requests/${id}`);
  expect(await here.factors()).toMatchObject({ ...known, openRequests: { value: 0, score: 100 } });
});

test("the factors of another organization's meetings and requests stay unknown", async () => {
  const here = await accountWorld();
  const { id } = await here.account({ name: "Theirs" }, here.second);
  await here.meeting(beginning);
  await here.request({});
  const { body } = await here.call("GET", `/api/v1/accounts/${id}/health`, undefined, here.second);
  expect(body.data.factors).toEqual([]);
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
