import { expect, test } from "bun:test";
import { world } from "../support/world.ts";

const path = "/api/v1/accounts/batch";

test("accounts is a list: everything else is 400", async () => {
  const { call } = await world();
  for (const [body, code] of [
    [{}, "required"],
    [{ accounts: null }, "wrong_type"],
    [{ accounts: {} }, "wrong_type"],
    [{ accounts: "a" }, "wrong_type"],
  ] as const) {
    const reply = await call("POST", path, body);
    expect([body, reply.status, reply.body.errors?.[0]]).toMatchObject([
      body,
      400,
      { pointer: "/accounts", code },
    ]);
  }
  expect((await call("POST", path, { accounts: [] })).body.data.results).toEqual([]);
  expect((await call("GET", path)).status).toBe(405);
  expect((await call("POST", `${path}/`, { accounts: [] })).status).toBe(404);
});

test("an item of another form fails alone, with a pointer to the member", async () => {
  const { call, rows } = await world();
  const named = { externalId: "a", name: "A" };
  const cases: [item: unknown, pointer: string | undefined, code: string][] = [
    [null, "", "wrong_type"],
    [[], "", "wrong_type"],
    ["a", "", "wrong_type"],
    [{}, "/externalId", "required"],
    [{ name: "A" }, "/externalId", "required"],
    [{ ...named, externalId: "" }, "/externalId", "too_short"],
    [{ ...named, externalId: null }, "/externalId", "wrong_type"],
    [{ ...named, externalId: "x".repeat(256) }, "/externalId", "too_long"],
    [{ ...named, externalId: "a\0" }, "/externalId", "ill_formed_text"],
    [{ ...named, name: "\ud800" }, "/name", "ill_formed_text"],
    [{ ...named, mrr: "5" }, "/mrr", "wrong_type"],
    [{ ...named, status: "constructor" }, "/status", "not_allowed"],
    [{ ...named, contacts: {} }, "/contacts", "wrong_type"],
    [{ ...named, contacts: null }, "/contacts", "wrong_type"],
    [{ ...named, contacts: [null] }, "/contacts/0", "wrong_type"],
    [{ ...named, contacts: [[]] }, "/contacts/0", "wrong_type"],
    [{ ...named, contacts: [{ name: "A" }] }, "/contacts/0/externalId", "required"],
    [{ ...named, contacts: [{ name: "A", email: null }] }, "/contacts/0/externalId", "required"],
    [{ ...named, contacts: [{ name: "A", email: "x" }] }, "/contacts/0/email", "invalid_email"],
    [{ ...named, contacts: [{ name: "A\0", email: "a@x.io" }] }, "/contacts/0/name", "ill_formed_text"],
    [{ ...named, contacts: [{ externalId: "__proto__" }] }, "/contacts/0/name", "required"],
    [
      { ...named, meetings: [{ title: "M", startAt: "2026-01-01", endAt: "2026-01-01" }] },
      "/meetings/0/externalId",
      "required",
    ],
    [
      { ...named, meetings: [{ externalId: "m", title: "M", startAt: "2026-01-02", endAt: "2026-01-01" }] },
      "/meetings/0/endAt",
      "before_start",
    ],
    [{ ...named, requests: [{ externalId: 5, title: "R" }] }, "/requests/0/externalId", "wrong_type"],
    [
      { ...named, requests: [{ externalId: "r", title: "R", severity: 6 }] },
      "/requests/0/severity",
      "out_of_range",
    ],
  ];
  const { status, body } = await call("POST", path, { accounts: cases.map(([item]) => item) });
  expect([status, body.data.failed]).toEqual([200, cases.length]);
  for (const [i, [item, pointer, code]] of cases.entries())
    expect([item, body.data.results[i].problem.errors[0]]).toMatchObject([
      item,
      { pointer: `/accounts/${i}${pointer}`, code },
    ]);
  expect(await rows("SELECT * FROM accounts")).toEqual([]);
});

test("external ids such as names of prototypes are texts; unknown members are ignored, or rejected when strict", async () => {
  const { call, rows } = await world();
  const accounts = ["__proto__", "constructor", "toString"].map((externalId) => ({
    ...{ externalId, name: externalId, accountId: 7, unknown: 1 },
    contacts: [{ externalId, name: externalId, accountId: 99 }],
  }));
  expect((await call("POST", path, { accounts })).body.data.created).toBe(3);
  expect((await call("POST", path, { accounts })).body.data.unchanged).toBe(3);
  expect(await rows("SELECT external_id FROM contacts ORDER BY id")).toEqual([
    { external_id: "__proto__" },
    { external_id: "constructor" },
    { external_id: "toString" },
  ]);
  const strict = { headers: { prefer: "handling=strict" } };
  const { body } = await call(
    "POST",
    path,
    { accounts: [...accounts, { externalId: "b", name: "B" }] },
    strict,
  );
  expect([body.data.failed, body.data.created]).toEqual([3, 1]);
  expect(body.data.results[0].problem.code).toBe("unknown_member");
});
