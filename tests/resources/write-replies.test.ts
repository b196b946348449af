import { expect, test } from "bun:test";
import { OperationTable } from "../../src/http/batch/operations.ts";
import { createFetch } from "../../src/http/create-fetch.ts";
import { world } from "../support/world.ts";

const path = "/api/v1/accounts";
const tagOf = ({ headers }: { headers: Headers }) => headers.get("etag") ?? "";

test("a replayed write has its first ETag, although its If-Match no longer holds", async () => {
  const { call, account } = await world();
  const { id } = await account({ name: "Acme" });
  const tag = tagOf(await call("GET", `${path}/${id}`));
  const headers = { "if-match": tag, "idempotency-key": "one" };
  const first = await call("PATCH", `${path}/${id}?fields=name`, { name: "Changed" }, { headers });
  expect([first.status, first.body]).toEqual([200, { data: { id, name: "Changed" } }]);
  expect(tagOf(first)).toMatch(/^"2\.\w+"$/);
  await call("PATCH", `${path}/${id}`, { name: "Again" });
  const replay = await call("PATCH", `${path}/${id}?fields=name`, { name: "Changed" }, { headers });
  expect([replay.status, replay.text, tagOf(replay)]).toEqual([200, first.text, tagOf(first)]);
  expect(replay.headers.get("idempotent-replayed")).toBe("true");
  const other = { "if-match": tag, "idempotency-key": "two" };
  expect((await call("PATCH", `${path}/${id}`, { name: "x" }, { headers: other })).status).toBe(412);
});

test("a problem of a precondition is not stored under the Idempotency-Key", async () => {
  const { call, account } = await world();
  const { id } = await account({ name: "Acme" });
  const send = (tag: string) =>
    call("PATCH", `${path}/${id}`, { name: "B" }, { headers: { "if-match": tag, "idempotency-key": "k" } });
  expect((await send('"7.xxxxxxxxxxxxx1"')).body.code).toBe("precondition_failed");
  const stored = await send('"1.xxxxxxxxxxxxx1"');
  expect([stored.status, stored.headers.get("idempotent-replayed")]).toEqual([200, null]);
});

test("a dry run has an ETag, include and fields, and checks preconditions", async () => {
  const { call, account } = await world();
  const { id } = await account({ name: "Acme", externalId: "acme" });
  const query = "dryRun=true&fields=name,status";
  const dry = await call("PATCH", `${path}/${id}?${query}`, { name: "B" });
  expect(dry.body).toEqual({ data: { id, name: "B", status: "active" } });
  expect([tagOf(dry), dry.headers.get("dry-run")]).toEqual([expect.stringMatching(/^"2\./), "true"]);
  for (const [method, headers] of [
    ["PATCH", { "if-match": '"7.xxxxxxxxxxxxx1"' }],
    ["PUT", { "if-none-match": "*" }],
  ] as const) {
    const target = `${path}/external/acme?dryRun=true`;
    expect([method, (await call(method, target, { name: "B" }, { headers })).status]).toEqual([method, 412]);
  }
  expect((await call("GET", `${path}/${id}`)).body.data.name).toBe("Acme");
});

test("a batch has no preconditions and no ETag", async () => {
  const { call, account } = await world();
  const { id } = await account({ name: "Acme" });
  const operations = [{ method: "PATCH", path: `${path}/${id}`, body: { name: "B" } }];
  const headers = { "if-match": '"7.xxxxxxxxxxxxx1"', "if-none-match": "*" };
  const reply = await call("POST", "/api/v1/batch", { mode: "atomic", operations }, { headers });
  expect([reply.status, reply.body.data.succeeded, reply.headers.get("etag")]).toEqual([200, 1, null]);
  expect(tagOf(await call("GET", `${path}/${id}`))).toMatch(/^"2\./);
});

test("the secret of a new key is neither stored with its Idempotency-Key nor in a replay", async () => {
  const { call, rows } = await world();
  const send = () =>
    call("POST", "/api/v1/keys", { name: "import" }, { headers: { "idempotency-key": "new" } });
  const first = await send();
  const { key, ...described } = first.body.data;
  expect(key).toMatch(/^ak_/);
  const replay = await send();
  expect([replay.status, replay.body.data]).toEqual([201, described]);
  expect(replay.headers.get("location")).toBe(first.headers.get("location"));
  expect(JSON.stringify(await rows("SELECT * FROM idempotency_keys"))).not.toContain(key.slice(3, -4));
  const dry = await call("POST", "/api/v1/keys?dryRun=true", { name: "dry" });
  expect([dry.status, dry.headers.get("dry-run")]).toEqual([201, "true"]);
  expect((await call("GET", "/api/v1/keys")).body.pagination.total).toBe(2);
});

test("each operation of a batch needs its own scope", () => {
  const operation = {
    method: "POST",
    path: "/api/v1/x",
    scope: "admin",
    params: undefined,
    body: undefined,
  } as const;
  const table = new OperationTable([
    { ...operation, writeOf: () => async () => ({ status: 204, body: undefined }) },
  ]);
  const prepare = (...scopes: ("write" | "admin")[]) =>
    table.prepare(
      { method: "POST", path: "/api/v1/x" },
      {
        isStrict: false,
        caller: { organizationId: 1, actor: { type: "cli" }, requestId: null, scopes: new Set(scopes) },
      },
    );
  expect(() => prepare("write")).toThrow("Use a key with the scope `admin`.");
  expect(prepare("write", "admin").run).toBeFunction();
});

test("a page of a list takes cursor, filters, include and fields together", async () => {
  const { call, account } = await world();
  for (let i = 0; i < 5; i += 1)
    await account({ name: `A ${i}`, mrr: i, status: i % 2 ? "churned" : "active" });
  const query = "mrr[gte]=1&sortBy=mrr&sortOrder=desc&pageSize=2&include=contacts&fields=name,status";
  const first = await call("GET", `${path}?cursor=&${query}`);
  expect(first.body.data).toEqual([
    { id: 5, name: "A 4", status: "active" },
    { id: 4, name: "A 3", status: "churned" },
  ]);
  const { nextCursor } = first.body.pagination;
  const second = await call("GET", `${path}?cursor=${nextCursor}&${query}`);
  expect(second.body.data).toEqual([
    { id: 3, name: "A 2", status: "active" },
    { id: 2, name: "A 1", status: "churned" },
  ]);
  expect(second.body.pagination).toEqual({ pageSize: 2, hasNextPage: false, nextCursor: null });
  expect(first.headers.get("link")).toContain(`cursor=${nextCursor}`);
  const included = await call("GET", `${path}?cursor=&mrr[gte]=4&include=contacts`);
  expect(included.body.data).toMatchObject([{ id: 5, contacts: [] }]);
});

test("the ETag of a compressed reply is weak, and its 304 has no content-encoding", async () => {
  const { app, first, account, call } = await world();
  const { id } = await account({ name: "x".repeat(255), externalId: "y".repeat(255) });
  for (let i = 0; i < 9; i += 1) await call("POST", `${path}/${id}/contacts`, { name: "z".repeat(200) });
  const plain = tagOf(await call("GET", `${path}/${id}`));
  const get = async (headers: Record<string, string>) =>
    createFetch((request) => app.fetch(request))(
      new Request(`http://localhost${path}/${id}`, {
        headers: { "x-api-key": first.key, "accept-encoding": "gzip", ...headers },
      }),
    );
  const compressed = await get({});
  expect([compressed.headers.get("content-encoding"), tagOf(compressed)]).toEqual(["gzip", `W/${plain}`]);
  for (const tag of [plain, `W/${plain}`]) {
    const unchanged = await get({ "if-none-match": tag });
    expect([unchanged.status, unchanged.headers.get("content-encoding")]).toEqual([304, null]);
    expect([unchanged.headers.get("vary"), tagOf(unchanged)]).toEqual(["accept-encoding", `W/${plain}`]);
    expect((await unchanged.arrayBuffer()).byteLength).toBe(0);
  }
  const headers = { "if-match": tagOf(compressed) };
  expect((await call("PATCH", `${path}/${id}`, { mrr: 1 }, { headers })).status).toBe(200);
});
