import { expect, test } from "bun:test";
import { world } from "../support/world.ts";

const accounts = "/api/v1/accounts";

test.each([
  ["POST", accounts, { name: "New", externalId: "new", contactName: "Ada" }, 201],
  ["PATCH", `${accounts}/1`, { name: "Changed" }, 200],
  ["PATCH", `${accounts}/external/acme`, { externalId: "other" }, 200],
  ["PUT", `${accounts}/external/acme`, { mrr: 7 }, 200],
  ["PUT", `${accounts}/external/new`, { name: "New" }, 201],
  ["DELETE", `${accounts}/1`, undefined, 204],
  ["DELETE", `${accounts}/external/acme`, undefined, 204],
  ["POST", `${accounts}/1/contacts`, { name: "Eve" }, 201],
  ["PATCH", "/api/v1/contacts/1", { name: "Eve" }, 200],
  ["PUT", "/api/v1/contacts/external/ada", { name: "Eve" }, 200],
  ["DELETE", "/api/v1/contacts/1", undefined, 204],
  ["DELETE", "/api/v1/contacts/external/ada", undefined, 204],
  ["POST", `${accounts}/1/meetings`, { title: "M", startAt: "2026-01-01", endAt: "2026-01-01" }, 201],
  ["PUT", "/api/v1/requests/external/r", { title: "R", accountExternalId: "acme" }, 201],
  [
    "POST",
    "/api/v1/events",
    {
      events: [
        { event: "login", externalId: "acme" },
        { event: "e", externalId: "x" },
      ],
    },
    200,
  ],
  ["POST", "/v1/batch", { batch: [{ type: "track", event: "login", groupId: "acme" }] }, 200],
  [
    "POST",
    "/api/v1/last-seen",
    { items: [{ externalId: "acme", source: "crm", lastSeenAt: "2026-01-01" }] },
    200,
  ],
] as const)(
  "%s %s with dryRun=true has its usual reply, and stores nothing",
  async (method, path, body, status) => {
    const here = await world();
    await here.account({ name: "Acme", externalId: "acme" });
    await here.call("POST", `${accounts}/1/contacts`, { name: "Ada", externalId: "ada" });
    const before = await snapshot(here);
    const dry = await here.call(method, `${path}?dryRun=true`, body);
    expect([dry.status, dry.headers.get("dry-run")]).toEqual([status, "true"]);
    expect(await snapshot(here)).toEqual(before);
    const done = await here.call(method, `${path}?dryRun=false`, body);
    expect([done.status, done.headers.get("dry-run")]).toEqual([status, null]);
    expect(await snapshot(here)).not.toEqual(before);
    // PostgreSQL takes ids from a sequence, which a rollback does not return.
    const withoutIds = (text: string | null) => text?.replace(/"id":\d+|\d+$/g, "id") ?? null;
    expect(withoutIds(dry.text)).toBe(withoutIds(done.text));
    expect(withoutIds(dry.headers.get("location"))).toBe(withoutIds(done.headers.get("location")));
  },
);

test.each([
  `${accounts}/1`,
  `${accounts}/external/acme`,
  "/api/v1/contacts/1",
  "/api/v1/contacts/external/ada",
])("a dry run of DELETE %s checks existence and preconditions, and deletes nothing", async (path) => {
  const { call, account, failOn } = await world();
  await account({ name: "Acme", externalId: "acme" });
  await call("POST", `${accounts}/1/contacts`, { name: "Ada", externalId: "ada" });
  const etag = (await call("GET", path)).headers.get("etag") ?? "";
  // Any deletion fails from now on.
  await failOn({ table: "changes", on: "INSERT", when: "NEW.action = 'deleted'", message: "deleted" });
  const remove = async (target: string, ifMatch: string) => {
    const { status, text, headers } = await call("DELETE", target, undefined, {
      headers: { "if-match": ifMatch },
    });
    return [status, text, headers.get("dry-run")];
  };
  expect(await remove(`${path}?dryRun=true`, etag)).toEqual([204, "", "true"]);
  expect((await remove(`${path}?dryRun=true`, '"9.other"'))[0]).toBe(412);
  expect((await remove(`${path}9?dryRun=true`, etag))[0]).toBe(404);
  expect((await remove(path, etag))[0]).toBe(500);
});

test("in a dry run of a batch, later operations see a DELETE", async () => {
  const { call, account } = await world();
  await account({ name: "Acme", externalId: "acme" });
  const operations = [
    { method: "DELETE", path: `${accounts}/1` },
    { method: "DELETE", path: `${accounts}/external/acme` },
  ];
  const { body } = await call("POST", "/api/v1/batch?dryRun=true", { mode: "partial", operations });
  expect(body.data.results.map(({ status }: { status: number }) => status)).toEqual([204, 404]);
  expect((await call("GET", `${accounts}/1`)).status).toBe(200);
});

test("a dry run has the problems of the request: validation, not found, conflicts", async () => {
  const { call, account } = await world();
  await account({ name: "Acme", externalId: "acme" });
  await account({ name: "Other", externalId: "other" });
  for (const [method, path, body, status] of [
    ["POST", accounts, { name: "" }, 400],
    ["POST", accounts, { name: "A", externalId: "acme" }, 409],
    ["PATCH", `${accounts}/1`, { externalId: "other" }, 409],
    ["DELETE", `${accounts}/9`, undefined, 404],
  ] as const) {
    const dry = await call(method, `${path}?dryRun=true`, body);
    const done = await call(method, path, body);
    expect([dry.status, dry.text, dry.headers.get("dry-run")]).toEqual([status, done.text, null]);
  }
});

test("dryRun is true or false, once; on a read it is unknown", async () => {
  const { call, account } = await world();
  await account({ name: "Acme" });
  for (const value of ["", "1", "True", "yes", "true%00", "null", "[]"]) {
    const { status, body } = await call("DELETE", `${accounts}/1?dryRun=${value}`);
    expect([value, status]).toEqual([value, 400]);
    if (value !== "true%00")
      expect(body.errors).toMatchObject([{ parameter: "dryRun", code: "not_allowed" }]);
  }
  const repeated = await call("DELETE", `${accounts}/1?dryRun=true&dryRun=true`);
  expect(repeated.body.errors).toMatchObject([{ parameter: "dryRun", code: "repeated" }]);
  expect((await call("DELETE", `${accounts}/1?dryrun=true`)).body.detail).toContain("`dryRun`");
  expect((await call("GET", `${accounts}/1?dryRun=true`)).body.code).toBe("unknown_parameter");
  expect((await call("GET", `${accounts}/1`)).status).toBe(200);
});

test("a dry run with an Idempotency-Key leaves the key unused", async () => {
  const { call, rows } = await world();
  const headers = { "idempotency-key": "k" };
  const dry = await call("POST", `${accounts}?dryRun=true`, { name: "Acme" }, { headers });
  expect([dry.status, dry.headers.get("dry-run"), dry.headers.get("idempotent-replayed")]).toEqual([
    201,
    "true",
    null,
  ]);
  expect(await rows("SELECT * FROM idempotency_keys")).toEqual([]);
  const done = await call("POST", accounts, { name: "Acme" }, { headers });
  expect([done.status, done.headers.get("idempotent-replayed")]).toEqual([201, null]);
});

test("other writes at the same time are stored, in order and without a gap in the change feed", async () => {
  const { call, rows } = await world();
  const replies = await Promise.all(
    Array.from({ length: 30 }, (_, i) =>
      call("POST", `${accounts}?dryRun=${i % 2 === 1}`, { name: `A ${i}` }),
    ),
  );
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201));
  expect((await rows("SELECT name FROM accounts ORDER BY id")).length).toBe(15);
  const feed = await call("GET", "/api/v1/changes");
  expect(feed.body.data.map(({ sequence }: { sequence: number }) => sequence)).toEqual(
    Array.from({ length: 15 }, (_, i) => i + 1),
  );
});

const tables = [
  "accounts",
  "contacts",
  "meetings",
  "requests",
  "events",
  "unmatched_ids",
  "usage_days",
  "last_seen",
];

async function snapshot({ rows }: Awaited<ReturnType<typeof world>>): Promise<string[]> {
  const all = [...tables, "changes", "account_counts", "account_deletions", "idempotency_keys"];
  return Promise.all(
    all.map(async (table) => JSON.stringify(await rows(`SELECT * FROM ${table} ORDER BY 1, 2, 3`))),
  );
}
