import { expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { cursorKeyOf } from "../../src/core/secrets.ts";
import { cursorWorld, lists } from "./cursor-world.ts";

const invalidCursor = { status: 400, body: { code: "invalid_cursor" } };

test("the pages of cursors have the rows of each list in each order, without a total", async () => {
  const { list, readAll } = await cursorWorld();
  for (const { path, sortBy } of lists) {
    const orders = sortBy.flatMap((column) =>
      ["asc", "desc"].map((sortOrder) => ({ sortBy: column, sortOrder })),
    );
    for (const order of orders.length > 0 ? orders : [{}]) {
      const all = (await list(path, { ...order, pageSize: "100" })).body.data;
      expect(all.length).toBeGreaterThan(3);
      expect(await readAll(path, order)).toEqual(all);
    }
    const [first, whole] = [
      (await list(path, { cursor: "", pageSize: "2" })).body,
      (await list(path, { cursor: "", pageSize: "100" })).body,
    ];
    expect(first.pagination).toEqual({ pageSize: 2, hasNextPage: true, nextCursor: expect.any(String) });
    expect(whole.pagination).toEqual({ pageSize: 100, hasNextPage: false, nextCursor: null });
  }
});

test("a cursor with a page, of another query, of another organization or changed is invalid_cursor", async () => {
  const { list, second } = await cursorWorld();
  for (const { path, sortBy } of lists) {
    const { nextCursor } = (await list(path, { cursor: "", pageSize: "2" })).body.pagination;
    const foreignPath = path.replace("accounts/1/", "accounts/10/");
    expect(await list(foreignPath, { cursor: nextCursor }, second.key)).toMatchObject(invalidCursor);
    for (const page of ["1", "2"]) {
      expect(await list(path, { cursor: nextCursor, page })).toMatchObject(invalidCursor);
      expect(await list(path, { cursor: "", page })).toMatchObject(invalidCursor);
    }
    const [last = ""] = nextCursor.slice(-1);
    const changed = [
      `${nextCursor.slice(0, -1)}${last === "A" ? "B" : "A"}`,
      `${nextCursor[0] === "A" ? "B" : "A"}${nextCursor.slice(1)}`,
      ...[`${nextCursor}=`, `${nextCursor}A`, ` ${nextCursor}`, nextCursor.slice(1), nextCursor.slice(0, 22)],
      ...["x", "null", "1", "__proto__", "A".repeat(22), "A".repeat(5_000), "\u0001", "é", "[1,2]"],
    ];
    for (const cursor of changed)
      expect([cursor, await list(path, { cursor })]).toMatchObject([cursor, invalidCursor]);
    const others = [
      ...sortBy.slice(1).map((column) => ({ sortBy: column })),
      ...(sortBy.length > 0 ? [{ sortOrder: "desc" }] : []),
    ];
    for (const other of others)
      expect(await list(path, { cursor: nextCursor, ...other })).toMatchObject(invalidCursor);
    for (const { path: other } of lists)
      if (other !== path && !(path.includes("requests") && other.includes("requests")))
        expect(await list(other, { cursor: nextCursor })).toMatchObject(invalidCursor);
    expect((await list(path, { cursor: nextCursor, pageSize: "3" })).status).toBe(200);
  }
});

test("cursors read the matches of filters, and are bound to them", async () => {
  const { list, readAll } = await cursorWorld();
  for (const [path, filters] of [
    ["/api/v1/accounts", [{ status: "churned" }, { status: "active" }, { search: "a" }, { externalId: "" }]],
    ["/api/v1/accounts/1/contacts", [{ search: "n" }, { email: "E1@x.io" }]],
    ["/api/v1/accounts/1/meetings", [{ search: "t 1" }]],
    ["/api/v1/requests", [{ status: "Open" }, { search: "t" }, { accountId: "1" }]],
    ["/api/v1/events/unmatched", [{ search: "u" }]],
    ["/api/v1/accounts/1/usage", [{ event: "e1" }, { from: "2026-01-02" }]],
  ] as const) {
    const { nextCursor } = (await list(path, { cursor: "", pageSize: "2" })).body.pagination;
    const orders = lists.find((one) => one.path === path)?.sortBy ?? [];
    for (const filter of filters) {
      const other = await list(path, { ...filter, cursor: nextCursor });
      expect([path, filter, other]).toMatchObject([path, filter, invalidCursor]);
      for (const order of orders.length > 0 ? orders.map((sortBy) => ({ sortBy })) : [{}]) {
        const all = (await list(path, { ...filter, ...order, pageSize: "100" })).body.data;
        expect([path, filter, await readAll(path, { ...filter, ...order })]).toEqual([path, filter, all]);
      }
    }
  }
});

test("rows that are created or deleted between two pages neither repeat nor hide other rows", async () => {
  const { account, call, list } = await cursorWorld();
  const before = (await list("/api/v1/accounts", { pageSize: "100" })).body.data;
  const first = (await list("/api/v1/accounts", { cursor: "", pageSize: "4" })).body;
  expect(first.data).toEqual(before.slice(0, 4));
  // The row of the cursor, one before it, and one that is before the position.
  await call("DELETE", `/api/v1/accounts/${before[3].id}`);
  await call("DELETE", `/api/v1/accounts/${before[0].id}`);
  await account({ name: "a" });
  const added = await account({ name: "a 2x" });
  const next = await list("/api/v1/accounts", { cursor: first.pagination.nextCursor, pageSize: "100" });
  expect(next.body.data.map(({ id }: { id: number }) => id)).toEqual([
    ...before.slice(4).map(({ id }: { id: number }) => id),
    added.id,
  ]);
});

test("a cursor is valid after a restart", async () => {
  const { list, openEngine, rows, first } = await cursorWorld();
  const { nextCursor } = (await list("/api/v1/accounts", { cursor: "", pageSize: "2" })).body.pagination;
  const stored = await rows("SELECT name, value FROM secrets");
  expect(stored).toMatchObject([{ name: "cursors", value: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
  const { decodeCursor } = await import("../../src/core/lists/cursor.ts");
  const key = await cursorKeyOf(await openEngine());
  const query = ["accounts.list", "name", "asc", {}, []];
  expect(decodeCursor(key, { organizationId: first.id, query }, nextCursor)).toEqual(["a 0", 4]);
});

/** A cursor in the format of commit 8dfa4c3, the first of 0.4.0-dev: it has the values and conditions of the filters. */
function firstFormat(key: string, scope: readonly [number, unknown], position: unknown): string {
  const payload = JSON.stringify(position);
  const mac = createHmac("sha256", key).update(JSON.stringify([...scope, payload]));
  return Buffer.concat([mac.digest().subarray(0, 16), Buffer.from(payload)]).toString("base64url");
}

test("a cursor of the first 0.4.0-dev continues, or is invalid_cursor", async () => {
  const here = await cursorWorld();
  const key = await cursorKeyOf(await here.openEngine());
  const isActive = { status: "active" };
  for (const [list, filter, query, position, rest] of [
    ["accounts", {}, ["accounts.list", "name", "asc", {}, []], ["a 0", 4], 7],
    ["accounts", isActive, ["accounts.list", "name", "asc", isActive, []], ["a 1", 2], 0],
    ["accounts/1/contacts", {}, ["contacts.list", "name", "asc", { accountId: 1 }, []], ["n 0", 4], 0],
    ["requests", {}, ["requests.list", "requestedAt", "asc", {}, []], [Date.UTC(2025, 11, 1), 4], 7],
    ["health", {}, ["scores.list", "name", "asc", {}, []], ["a 0", 4], 7],
    ["events/unmatched", {}, ["unmatchedIds.list", "externalId", "asc", {}, []], ["u1", 2], 7],
    ["accounts/1/usage", {}, ["usage", 1, {}, null], [20454, "e1"], 0],
    ["accounts/1/history", {}, ["history", 1], [20], 11],
  ] as const) {
    const path = `/api/v1/${list}`;
    const cursor = firstFormat(key, [here.first.id, query], position);
    const sent = { ...filter, ...(list === "health" && { sortBy: "name" }), pageSize: "100" };
    const reply = await here.list(path, { ...sent, cursor });
    const { data } = (await here.list(path, sent)).body;
    if (rest > 0) expect([list, reply.body.data]).toEqual([list, data.slice(-rest)]);
    else expect([list, reply]).toMatchObject([list, invalidCursor]);
  }
});
