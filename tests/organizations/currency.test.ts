import { expect, test } from "bun:test";
import { storeKey } from "../support/keys.ts";
import { world } from "../support/world.ts";

const path = "/api/v1/organization";

test("the currency of an organization is null, can be set and removed, and is in each reply about it", async () => {
  const { call, first } = await world();
  const read = async () => (await call("GET", path)).body.data;
  const organization = { id: first.id, name: "First", numberFormat: null };
  expect(await read()).toEqual({ ...organization, currency: null });
  for (const currency of ["EUR", "USD", "JPY", null]) {
    const { status, body } = await call("PATCH", path, { currency, name: "ignored" });
    expect([status, body]).toEqual([200, { data: { ...organization, currency } }]);
    expect(await read()).toEqual({ ...organization, currency });
    expect((await call("GET", "/api/v1/me")).body.data.organization).toEqual({ ...organization, currency });
  }
});

test("a currency that is no current code of ISO 4217 is rejected, and nothing changes", async () => {
  const { call } = await world();
  await call("PATCH", path, { currency: "EUR" });
  for (const currency of ["eur", "EURO", "EU", "", "€", "XXX", "DEM", "ABC", 978, {}, ["EUR"]]) {
    const { status, body } = await call("PATCH", path, { currency });
    expect([currency, status, body.code, body.errors?.[0].pointer]).toEqual([
      currency,
      400,
      "invalid_request",
      "/currency",
    ]);
  }
  expect((await call("PATCH", path, { currencies: "EUR" })).body.code).toBe("no_valid_fields");
  const strict = { headers: { prefer: "handling=strict" } };
  expect((await call("PATCH", path, { currency: "USD", name: "New" }, strict)).body.code).toBe(
    "unknown_member",
  );
  expect((await call("GET", path)).body.data.currency).toBe("EUR");
});

test("a currency can be set in a dry run and under a key that is repeated, and is no change of the feed", async () => {
  const { call, second } = await world();
  const dry = await call("PATCH", `${path}?dryRun=true`, { currency: "EUR" });
  expect([dry.status, dry.body.data.currency, dry.headers.get("dry-run")]).toEqual([200, "EUR", "true"]);
  expect((await call("GET", path)).body.data.currency).toBeNull();
  const once = { headers: { "idempotency-key": "once" } };
  const set = await call("PATCH", path, { currency: "EUR" }, once);
  await call("PATCH", path, { currency: "USD" });
  const repeated = await call("PATCH", path, { currency: "EUR" }, once);
  expect([repeated.text, repeated.headers.get("idempotent-replayed")]).toEqual([set.text, "true"]);
  expect((await call("GET", path)).body.data.currency).toBe("USD");
  expect((await call("GET", "/api/v1/changes")).body.data).toEqual([]);
  expect((await call("GET", path, undefined, { key: second.key })).body.data.currency).toBeNull();
});

test("reading needs the scope read, and setting the scope admin", async () => {
  const { call, engine, first } = await world();
  for (const [scope, get, patch] of [
    ["read", 200, 403],
    ["admin", 403, 200],
    ["write", 403, 403],
  ] as const) {
    const { secret: key } = await storeKey(engine, { organizationId: first.id, name: "", scopes: [scope] });
    const replies = [
      await call("GET", path, undefined, { key }),
      await call("PATCH", path, { currency: null }, { key }),
    ];
    expect([scope, ...replies.map(({ status }) => status)]).toEqual([scope, get, patch]);
  }
});
