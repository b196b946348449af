import { expect, test } from "bun:test";
import { type Body, world } from "../support/world.ts";

const path = "/api/v1/accounts/batch";
const meeting = { externalId: "m", title: "Review", startAt: "2026-01-01", endAt: "2026-01-02" };

async function upsertWorld() {
  const here = await world();
  const upsert = (accounts: unknown, options: Parameters<typeof here.call>[3] = {}) =>
    here.call("POST", path, { accounts }, options);
  const results = async (accounts: unknown): Promise<Body[]> => (await upsert(accounts)).body.data.results;
  const list = async (name: string) =>
    (await here.call("GET", `/api/v1/accounts/external/a`)).body.data[name];
  return { ...here, upsert, results, list };
}

test("accounts and their sub-resources are created, updated, or unchanged, with the members that are sent", async () => {
  const { upsert, call } = await upsertWorld();
  const account = {
    externalId: "a",
    name: "A",
    mrr: 5,
    status: "inactive",
    logoUrl: "https://x.io/a.png",
    contactActivityAt: "2026-01-01T00:00:00.000Z",
    contacts: [
      { externalId: "ada", name: "Ada", email: "ada@x.io" },
      { name: "Eve", email: "eve@x.io" },
    ],
    meetings: [meeting],
    requests: [{ externalId: "r", title: "SSO", status: "Planned", severity: 5, requestedAt: "2026-01-01" }],
  };
  const created = await upsert([account, { externalId: "b", name: "B" }]);
  expect(created.status).toBe(200);
  const [first, second] = created.body.data.results;
  expect(created.body).toEqual({
    data: {
      results: [
        { result: "created", id: first.id },
        { result: "created", id: second.id },
      ],
      ...{ created: 2, updated: 0, unchanged: 0, failed: 0 },
    },
  });
  const stored = (await call("GET", `/api/v1/accounts/${first.id}`)).body.data;
  expect(stored).toMatchObject({
    ...{ name: "A", externalId: "a", mrr: 5, active: false, logoUrl: "https://x.io/a.png" },
    contacts: [
      { name: "Ada", email: "ada@x.io" },
      { name: "Eve", email: "eve@x.io" },
    ],
    meetings: [{ title: "Review", startAt: "2026-01-01T00:00:00.000Z" }],
    requests: [{ title: "SSO", status: "Planned", severity: 5 }],
  });
  const again = await upsert([account, { externalId: "b" }]);
  expect(again.body.data).toMatchObject({ unchanged: 2, created: 0, updated: 0, failed: 0 });
  expect((await call("GET", `/api/v1/accounts/${first.id}`)).body.data).toEqual(stored);
  const changed = await upsert([
    { externalId: "a", contacts: [{ email: "EVE@x.io", name: "Eve 2" }] },
    { externalId: "b", requests: [{ externalId: "new", title: "New" }] },
    { externalId: "b" },
  ]);
  expect(changed.body.data.results.map(({ result }: Body) => result)).toEqual([
    "updated",
    "updated",
    "unchanged",
  ]);
  const after = (await call("GET", `/api/v1/accounts/${first.id}`)).body.data;
  expect(after).toEqual({
    ...stored,
    contacts: [stored.contacts[0], { ...stored.contacts[1], name: "Eve 2", email: "EVE@x.io" }],
  });
});

test("every row is recorded in the change feed, and rows that are not sent stay", async () => {
  const { results, call, list } = await upsertWorld();
  const contacts = [{ externalId: "ada", name: "Ada" }];
  await results([{ externalId: "a", name: "A", contacts, meetings: [meeting] }]);
  await results([{ externalId: "a", mrr: 7, contacts: [{ externalId: "eve", name: "Eve" }], meetings: [] }]);
  expect((await list("contacts")).map(({ name }: Body) => name)).toEqual(["Ada", "Eve"]);
  expect(await list("meetings")).toHaveLength(1);
  const feed = (await call("GET", "/api/v1/changes")).body.data;
  expect(feed.map(({ sequence, type }: Body) => `${sequence} ${type}`)).toEqual([
    "1 account.created",
    "2 contact.created",
    "3 meeting.created",
    "4 account.updated",
    "5 contact.created",
  ]);
});

test("a contact is found by its externalId, or else by its address in the account", async () => {
  const { results, rows, upsert } = await upsertWorld();
  await results([
    {
      externalId: "a",
      name: "A",
      contacts: [
        { email: "ada@x.io", name: "Ada" },
        { externalId: "eve", name: "Eve" },
      ],
    },
    { externalId: "b", name: "B", contacts: [{ email: "ada@x.io", name: "Other Ada" }] },
  ]);
  const contacts = () =>
    rows<Record<string, string | null>>(
      "SELECT c.name, c.external_id, c.email, a.external_id AS account FROM contacts c JOIN accounts a ON a.id = c.account_id ORDER BY c.id",
    );
  // The address finds the contact, which gets the external id; the external id moves the contact to this account.
  const contact = { externalId: "ada", email: "Ada@X.io" };
  await results([
    { externalId: "a", contacts: [contact] },
    { externalId: "b", contacts: [{ externalId: "eve" }] },
  ]);
  expect(await contacts()).toEqual([
    { name: "Ada", external_id: "ada", email: "Ada@X.io", account: "a" },
    { name: "Eve", external_id: "eve", email: null, account: "b" },
    { name: "Other Ada", external_id: null, email: "ada@x.io", account: "b" },
  ]);
  // A contact with another external id is another contact: its address is in use.
  const { body } = await upsert([
    { externalId: "a", contacts: [{ externalId: "new", name: "N", email: "ada@x.io" }] },
  ]);
  expect(body.data.results[0].problem.errors).toEqual([
    {
      pointer: "/accounts/0/contacts/0/email",
      code: "contact_email_conflict",
      detail: "is in use by another contact of the account",
    },
  ]);
  // The second item finds the contact of the first, under its new address and not under the old one.
  const twice = await results([
    {
      externalId: "a",
      contacts: [
        { externalId: "ada", email: "new@x.io" },
        { email: "NEW@x.io", name: "Ada 2" },
      ],
    },
    { externalId: "a", contacts: [{ email: "ada@x.io", name: "Ada 3" }] },
  ]);
  expect(twice.map(({ result }) => result)).toEqual(["updated", "updated"]);
  expect((await contacts()).map(({ name, account }) => `${account} ${name}`)).toEqual([
    "a Ada 2",
    "b Eve",
    "b Other Ada",
    "a Ada 3",
  ]);
});

test("an account that fails leaves nothing behind, and does not affect the others", async () => {
  const { upsert, rows, call, account, faults } = await upsertWorld();
  await account({ name: "Old", externalId: "old" });
  const { status, body } = await upsert([
    { externalId: "a", name: "A", contacts: [{ externalId: "c", name: "C", email: "c@x.io" }] },
    {
      externalId: "old",
      mrr: 9,
      contacts: [{ externalId: "d", name: "D" }],
      meetings: [{ externalId: "m" }],
    },
    {
      externalId: "b",
      name: "B",
      contacts: [
        { name: "E", email: "e@x.io" },
        { externalId: "f", name: "F", email: "E@x.io" },
        { externalId: "g", name: "F", email: "E@x.io" },
      ],
    },
    { externalId: "new" },
    { externalId: "c", name: "C", requests: [{ externalId: "r", title: "R", requestedAt: "2030-01-01" }] },
    { externalId: "d", name: "", contacts: [{ name: "X" }] },
    { externalId: "e", name: "E", contacts: [{ externalId: "d", name: "D" }] },
  ]);
  expect(status).toBe(200);
  const outcome = body.data.results.map(
    ({ result, problem }: { result: string; problem?: { errors: Body[] } }) => [
      result,
      ...(problem?.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`),
    ],
  );
  expect(outcome).toEqual([
    ["created"],
    [
      "failed",
      "/accounts/1/meetings/0/title required",
      "/accounts/1/meetings/0/startAt required",
      "/accounts/1/meetings/0/endAt required",
    ],
    ["failed", "/accounts/2/contacts/2/email contact_email_conflict"],
    ["failed", "/accounts/3/name required"],
    ["failed", "/accounts/4/requests/0/requestedAt in_future"],
    ["failed", "/accounts/5/name too_short"],
    ["created"],
  ]);
  expect([body.data.created, body.data.failed]).toEqual([2, 5]);
  expect(await rows("SELECT name, mrr FROM accounts ORDER BY id")).toEqual([
    { name: "Old", mrr: 0 },
    { name: "A", mrr: 0 },
    { name: "E", mrr: 0 },
  ]);
  expect(await rows("SELECT name FROM contacts ORDER BY id")).toEqual([{ name: "C" }, { name: "D" }]);
  const feed = (await call("GET", "/api/v1/changes")).body.data;
  expect(feed.map(({ sequence }: Body) => sequence)).toEqual([1, 2, 3, 4, 5]);
  expect(await faults(0)).toEqual([]);
});

test("a dry run stores nothing, and a repeated Idempotency-Key has the first reply", async () => {
  const { call, rows } = await upsertWorld();
  const body = { accounts: [{ externalId: "a", name: "A", contacts: [{ email: "a@x.io", name: "Ada" }] }] };
  const dry = await call("POST", `${path}?dryRun=true`, body);
  expect([dry.body.data.created, dry.headers.get("dry-run")]).toEqual([1, "true"]);
  expect(await rows("SELECT * FROM accounts")).toEqual([]);
  const options = { headers: { "idempotency-key": "k" } };
  const first = await call("POST", path, body, options);
  const second = await call("POST", path, body, options);
  expect([first.body.data.created, second.text]).toEqual([1, first.text]);
  expect(second.headers.get("idempotent-replayed")).toBe("true");
});

test("at most 1,000 accounts, and 5,000 rows with their sub-resources", async () => {
  const { upsert, results } = await upsertWorld();
  const requests = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, i) => ({ externalId: `${prefix}${i}`, title: "R" }));
  const rows = Array.from({ length: 1_000 }, (_, i) => ({
    externalId: `a${i}`,
    name: "A",
    requests: requests(`r${i}-`, 4),
  }));
  const tooMany = async (accounts: unknown[]) => (await upsert(accounts)).body.errors;
  const error = { pointer: "/accounts", code: "too_many", detail: expect.any(String) };
  expect(await tooMany([...rows, { externalId: "b", name: "B" }])).toEqual([error]);
  expect(
    await tooMany([...rows.slice(1), { externalId: "b", name: "B", requests: requests("x", 5) }]),
  ).toEqual([error]);
  const few = rows.map((row, i) => ({ ...row, requests: i < 10 ? row.requests : [] }));
  expect((await results(few)).filter(({ result }) => result === "created")).toHaveLength(1_000);
});

test("an empty e-mail address of a contact is null, and no key", async () => {
  const { call } = await world();
  const upsert = async (...contacts: object[]) =>
    (await call("POST", "/api/v1/accounts/batch", { accounts: [{ externalId: "a", name: "A", contacts }] }))
      .body.data.results[0];
  const contacts = ["ada", "eve"].map((externalId) => ({ externalId, name: externalId, email: "" }));
  expect(await upsert(...contacts)).toMatchObject({ result: "created" });
  expect(await upsert(...contacts)).toMatchObject({ result: "unchanged" });
  const stored = (await call("GET", "/api/v1/contacts")).body.data;
  expect(stored).toMatchObject(["ada", "eve"].map((name) => ({ name, email: null })));
  expect(await upsert({ name: "No key", email: "" })).toMatchObject({
    result: "failed",
    problem: { errors: [{ pointer: "/accounts/0/contacts/0/externalId", code: "required" }] },
  });
});
