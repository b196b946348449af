import { expect, test } from "bun:test";
import { beginning, beginningText } from "../support/world.ts";
import { day, healthWorld, hour } from "./health-world.ts";

/** A health world with one account, and functions that read its health with `asOf`. */
async function asOfWorld() {
  const here = await healthWorld();
  await here.account({ name: "Acme" });
  return {
    ...here,
    asOf: (timestamp: number) => here.health(`?asOf=${here.textOf(timestamp)}`),
    factorsAt: (timestamp: number) => here.factors(`?asOf=${here.textOf(timestamp)}`),
  };
}

test("asOf is an ISO 8601 date or date-time, UTC without an offset; the default is now", async () => {
  const { health } = await asOfWorld();
  const shown = { "": beginningText, "?asOf=2026-01-02": "2026-01-02T00:00:00.000Z" };
  const offset = { "?asOf=2026-01-02T01:00:00%2B02:00": "2026-01-01T23:00:00.000Z" };
  const old = { "?asOf=0000-01-01": "0000-01-01T00:00:00.000Z" };
  for (const [query, asOf] of Object.entries({ ...shown, ...offset, ...old }))
    expect(await health(query)).toMatchObject({ asOf, coverage: 0 });
});

test("asOf must not be in the future; now is accepted", async () => {
  const { call } = await asOfWorld();
  const path = "/api/v1/accounts/1/health";
  expect((await call("GET", `${path}?asOf=${beginningText}`)).status).toBe(200);
  expect((await call("GET", `${path}?asOf=2026-01-02T03:04:05.679Z`)).body).toMatchObject({
    status: 400,
    code: "invalid_request",
    errors: [{ parameter: "asOf", code: "in_future" }],
  });
});

test("asOf is validated before the account is read", async () => {
  const { call } = await asOfWorld();
  expect((await call("GET", "/api/v1/accounts/999/health?asOf=2027-01-01")).status).toBe(400);
  expect((await call("GET", "/api/v1/accounts/999/health?asOf=2025-01-01")).status).toBe(404);
});

test("asOf includes the meetings that began until then", async () => {
  const { pass, meeting, factorsAt } = await asOfWorld();
  await meeting(beginning);
  await meeting(beginning + 3 * day);
  pass(200 * day);
  // The organization's mark of meetings is a present fact, like its settings. It does not count before the account existed.
  expect(await factorsAt(beginning - 1)).toEqual({});
  expect(await factorsAt(beginning)).toMatchObject({ meetings: { value: 1 } });
  expect(await factorsAt(beginning + 3 * day)).toMatchObject({ meetings: { value: 2 } });
  expect(await factorsAt(beginning + 180 * day)).toMatchObject({ meetings: { value: 1 } });
  expect(await factorsAt(beginning + 183 * day)).toMatchObject({ meetings: { value: 0, score: 20 } });
});

test("asOf ignores contact activity after that time, and the values that it replaced", async () => {
  const { pass, change, seen, asOf, textOf } = await asOfWorld();
  const see = (source: string, at: number) => seen([{ accountId: 1, source, lastSeenAt: textOf(at) }]);
  const contact = async (timestamp: number) => (await asOf(timestamp)).contactActivity;
  await see("crm", beginning - 9 * day);
  await see("crm", beginning - 2 * day);
  await see("mail", beginning - 4 * day);
  await change({ contactActivityAt: textOf(beginning - day) });
  pass(hour);
  expect(await contact(beginning - 4 * day - 1)).toEqual({ at: null, source: null });
  expect(await contact(beginning - 4 * day)).toEqual({ at: textOf(beginning - 4 * day), source: "mail" });
  expect(await contact(beginning - 2 * day)).toEqual({ at: textOf(beginning - 2 * day), source: "crm" });
  expect(await contact(beginning - day - 1)).toMatchObject({ source: "crm" });
  expect(await contact(beginning - day)).toEqual({ at: textOf(beginning - day), source: "api" });
});

test("asOf uses the current status of the account", async () => {
  const { pass, scored, change, health, textOf } = await asOfWorld();
  await scored(100);
  pass(day);
  await change({ status: "churned" }, 2);
  expect(await health(`?asOf=${textOf(beginning)}`, 2)).toMatchObject({ score: null, coverage: 0.3 });
});
