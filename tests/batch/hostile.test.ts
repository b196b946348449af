import { expect, test } from "bun:test";
import { accounts, batchWorld, post } from "./batch-world.ts";

test("mode is partial or atomic, and operations a list: everything else is 400 and stores nothing", async () => {
  const { call, rows } = await batchWorld();
  const operations = [post({ name: "A" })];
  for (const [body, pointer, code] of [
    [{}, "/mode", "required"],
    [{ operations }, "/mode", "required"],
    [{ mode: "Partial", operations }, "/mode", "not_allowed"],
    [{ mode: "__proto__", operations }, "/mode", "not_allowed"],
    [{ mode: ["partial"], operations }, "/mode", "wrong_type"],
    [{ mode: null, operations }, "/mode", "wrong_type"],
    [{ mode: "partial" }, "/operations", "required"],
    [{ mode: "partial", operations: {} }, "/operations", "wrong_type"],
    [{ mode: "atomic", operations: "POST" }, "/operations", "wrong_type"],
    [{ mode: "atomic", operations: null }, "/operations", "wrong_type"],
  ] as const) {
    const reply = await call("POST", "/api/v1/batch", body);
    expect([body, reply.status, reply.body.errors]).toEqual([
      body,
      400,
      [{ pointer, code, detail: expect.any(String) }],
    ]);
  }
  expect(await rows("SELECT * FROM accounts")).toEqual([]);
});

test("an operation of another form has a problem of its own", async () => {
  const { batch, account, rows } = await batchWorld();
  await account({ name: "Acme" });
  const method = "PATCH";
  const body = { name: "Changed" };
  const at = (path: unknown, more: object = { method, body }) => ({ path, ...more });
  const cases: [operation: unknown, status: number, code: string, pointer?: string][] = [
    [null, 400, "invalid_request", ""],
    ["POST", 400, "invalid_request", ""],
    [[], 400, "invalid_request", ""],
    [{}, 400, "invalid_request", "/method"],
    [at(`${accounts}/1`, { method: "GET" }), 400, "invalid_request", "/method"],
    [at(`${accounts}/1`, { method: "patch", body }), 400, "invalid_request", "/method"],
    [at(`${accounts}/1`, { method: "constructor", body }), 400, "invalid_request", "/method"],
    [at(`${accounts}/1`, { method: [method], body }), 400, "invalid_request", "/method"],
    [at(undefined), 400, "invalid_request", "/path"],
    [at(["/api"]), 400, "invalid_request", "/path"],
    [at("api/v1/accounts/1"), 400, "invalid_request", "/path"],
    [at("http://localhost/api/v1/accounts/1"), 400, "invalid_request", "/path"],
    [at(`${accounts}/1?dryRun=true`), 400, "invalid_request", "/path"],
    [at(`${accounts}/1#a`), 400, "invalid_request", "/path"],
    [at(`${accounts}/x`), 400, "invalid_request", "/path"],
    [at(`${accounts}/-1`), 400, "invalid_request", "/path"],
    [at(`${accounts}/01`), 400, "invalid_request", "/path"],
    [at(`${accounts}/9007199254740993`), 400, "invalid_request", "/path"],
    [at(`${accounts}/1%00`), 400, "malformed_url"],
    [at(`${accounts}/%ff`), 400, "malformed_url"],
    [at(`${accounts}/1/`), 404, "not_found"],
    [at("/"), 404, "not_found"],
    [at("/api/v1/__proto__"), 404, "not_found"],
    [at("/api/v1/batch", { method: "POST", body: { mode: "partial", operations: [] } }), 404, "not_found"],
    [at("/api/v1/events", { method: "POST", body: { event: "e" } }), 404, "not_found"],
    [at("/livez", { method: "POST", body: {} }), 404, "not_found"],
    [at(`${accounts}/1`, { method: "PUT", body }), 405, "method_not_allowed"],
    [at(`${accounts}/1`, { method }), 400, "invalid_request", "/body"],
    [at(`${accounts}/1`, { method, body: null }), 400, "invalid_request", "/body"],
    [at(`${accounts}/1`, { method, body: [body] }), 400, "invalid_request", "/body"],
    [at(`${accounts}/1`, { method, body: "{}" }), 400, "invalid_request", "/body"],
    [at(`${accounts}/1`, { method, body: {} }), 400, "no_valid_fields"],
    [at(`${accounts}/1`, { method, body: { name: "a\0b" } }), 400, "invalid_request", "/body/name"],
    [at(`${accounts}/1`, { method, body: { name: "\ud800" } }), 400, "invalid_request", "/body/name"],
    [at(`${accounts}/1`, { method, body: { ...body, x: "\0" } }), 400, "invalid_request"],
    [at(`${accounts}/1`, { method, body: { name: 5, mrr: "5" } }), 400, "invalid_request", "/body/name"],
  ];
  const {
    status,
    body: reply,
    text,
  } = await batch(
    "partial",
    cases.map(([operation]) => operation),
  );
  expect([status, reply.data.succeeded]).toEqual([200, 0]);
  for (const [i, [operation, expected, code, pointer]] of cases.entries()) {
    const { status: found, body: problem } = reply.data.results[i];
    expect([operation, found, problem.code]).toEqual([operation, expected, code]);
    if (pointer !== undefined)
      expect([operation, problem.errors[0].pointer]).toEqual([operation, `/operations/${i}${pointer}`]);
  }
  // No value of the caller is repeated.
  expect(text).not.toContain("Changed");
  expect(await rows("SELECT name FROM accounts")).toEqual([{ name: "Acme" }]);
});

test("members that no operation has are ignored, and rejected with Prefer: handling=strict", async () => {
  const { batch, rows } = await batchWorld();
  const odd = { ...post({ name: "A", nmae: 1, constructor: {}, toString: 1 }), id: 7 };
  expect((await batch("partial", [odd])).body.data.succeeded).toBe(1);
  const strict = { headers: { prefer: "handling=strict" } };
  const { body, headers } = await batch(
    "partial",
    [odd, post({ name: "B", nmae: 1 }), post({ name: "C" })],
    strict,
  );
  expect(headers.get("preference-applied")).toBe("handling=strict");
  expect(
    body.data.results.map((result: { body: { code?: string } }) => result.body.code ?? "stored"),
  ).toEqual(["unknown_member", "unknown_member", "stored"]);
  expect(await rows("SELECT name FROM accounts ORDER BY id")).toEqual([{ name: "A" }, { name: "C" }]);
});

test("the body of an operation may be as deep as in its own request", async () => {
  const { batch } = await batchWorld();
  const nested = (depth: number): object => (depth === 1 ? {} : { x: nested(depth - 1) });
  expect((await batch("partial", [post({ name: "A", x: nested(7) })])).body.data.succeeded).toBe(1);
  expect((await batch("partial", [post({ name: "A", x: nested(8) })])).body.code).toBe("malformed_json");
});
