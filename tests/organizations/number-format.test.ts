import { expect, test } from "bun:test";
import { world } from "../support/world.ts";

const path = "/api/v1/organization";

test("the number format of an organization is null, can be set and removed, and is stored in canonical form", async () => {
  const { call, first, second } = await world();
  const organization = { id: first.id, name: "First", currency: null };
  expect((await call("GET", path)).body.data).toEqual({ ...organization, numberFormat: null });
  for (const [sent, numberFormat] of [
    ["de-DE", "de-DE"],
    ["EN-in", "en-IN"],
    ["fr", "fr"],
    ["de-ch-u-nu-latn", "de-CH-u-nu-latn"],
    [null, null],
  ]) {
    const { status, body } = await call("PATCH", path, { numberFormat: sent });
    expect([status, body]).toEqual([200, { data: { ...organization, numberFormat } }]);
    expect((await call("GET", path)).body.data).toEqual({ ...organization, numberFormat });
    expect((await call("GET", "/api/v1/me")).body.data.organization.numberFormat).toBe(numberFormat);
  }
  await call("PATCH", path, { numberFormat: "de-DE" });
  expect((await call("GET", path, undefined, { key: second.key })).body.data.numberFormat).toBeNull();
});

test("the currency and the number format can be set together, and setting one leaves the other", async () => {
  const { call } = await world();
  const both = await call("PATCH", path, { currency: "EUR", numberFormat: "de-DE" });
  expect(both.body.data).toMatchObject({ currency: "EUR", numberFormat: "de-DE" });
  const currency = await call("PATCH", path, { currency: null });
  expect(currency.body.data).toMatchObject({ currency: null, numberFormat: "de-DE" });
  await call("PATCH", path, { currency: "USD" });
  const format = await call("PATCH", path, { numberFormat: null });
  expect(format.body.data).toMatchObject({ currency: "USD", numberFormat: null });
  expect((await call("PATCH", path, {})).body.code).toBe("no_valid_fields");
});

test("a text that is no language tag by BCP 47, or a too long one, is rejected with what to do, and nothing changes", async () => {
  const { call } = await world();
  await call("PATCH", path, { currency: "EUR", numberFormat: "de-DE" });
  const long = `de-DE-x-${"a".repeat(8)}-${"b".repeat(8)}-${"c".repeat(8)}-d`;
  // Of 35 characters; the canonical form has more.
  const grows = "en-u-ca-islamicc-x-aaaaaaaa-bbbbbbb";
  for (const numberFormat of [
    "",
    "d",
    "de_DE",
    "de-",
    "1.234,50",
    "\u0000\u0000",
    "ÄÖ",
    long,
    grows,
    49,
    {},
    ["de"],
  ]) {
    const { status, body } = await call("PATCH", path, { currency: "USD", numberFormat });
    expect([numberFormat, status, body.code, body.errors?.[0].pointer]).toEqual([
      numberFormat,
      400,
      "invalid_request",
      "/numberFormat",
    ]);
  }
  const { body } = await call("PATCH", path, { numberFormat: "de_DE" });
  expect(body.errors[0].detail).toBe(
    "must be a language tag by BCP 47 of at most 35 characters, such as de-DE or en-US",
  );
  expect((await call("GET", path)).body.data).toMatchObject({ currency: "EUR", numberFormat: "de-DE" });
});
