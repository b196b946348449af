import { expect, test } from "bun:test";
import { createAccount } from "../../src/accounts/store.ts";
import { revokeKey } from "../../src/api-keys/store.ts";
import { storeKey } from "../support/keys.ts";
import type { Body } from "../support/world.ts";
import { type Change, changeWorld } from "./change-world.ts";

/** A log of creates of accounts. */
async function manyChanges(count: number) {
  const here = await changeWorld();
  await here.send("POST", "/api/v1/accounts", { name: "Acme" });
  const others = `organization_id, resource, action, resource_id, account_id, changed_at, actor_type, key_id,
    key_name, request_id, after`;
  await here.execute(`WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO changes (sequence, ${others}) SELECT i, ${others} FROM changes, n WHERE sequence = 1`);
  return here;
}

/** Two accounts with contacts, a meeting and requests: ten changes, an update and a delete among them. */
async function tenChanges() {
  const here = await changeWorld();
  await here.send("POST", "/api/v1/accounts", { name: "Acme", contactName: "Ada" });
  await here.send("POST", "/api/v1/accounts", { name: "Globex" });
  await here.send("POST", "/api/v1/accounts/1/requests", { title: "SSO" });
  await here.send("PATCH", "/api/v1/accounts/1", { mrr: 5 });
  await here.send("POST", "/api/v1/accounts/2/meetings", {
    title: "Kickoff",
    startAt: "2026-01-01",
    endAt: "2026-01-01",
  });
  await here.send("PATCH", "/api/v1/requests/1", { status: "Done" });
  await here.send("POST", "/api/v1/accounts/2/contacts", { name: "Bob" });
  await here.send("DELETE", "/api/v1/contacts/1");
  await here.send("PATCH", "/api/v1/contacts/2", { name: "Bobby" });
  const sequences = async (query: string): Promise<number[]> =>
    (await here.feed(query)).data.map(({ sequence }: Change) => sequence);
  return { ...here, sequences };
}
const types = [
  "account.created",
  "contact.created",
  "account.created",
  "request.created",
  "account.updated",
  "meeting.created",
  "request.updated",
  "contact.created",
  "contact.deleted",
  "contact.updated",
];

test("an organization without changes has an empty page that continues at 0", async () => {
  const { feed } = await changeWorld();
  const pagination = { limit: 1_000, hasNextPage: false, nextAfter: 0 };
  expect(await feed()).toEqual({ data: [], pagination });
  expect(await feed("?resource=account")).toEqual({ data: [], pagination });
});

test("after and limit page through the changes: each is returned once, in order", async () => {
  const { feed, sequences } = await tenChanges();
  for (const limit of [1, 3, 5, 9, 10, 11]) {
    const pages: number[][] = [];
    for (let after = 0, isMore = true; isMore; ) {
      const { data, pagination } = await feed(`?limit=${limit}&after=${after}`);
      pages.push(data.map(({ sequence }: Change) => sequence));
      isMore = pagination.hasNextPage;
      expect(pagination).toEqual({ limit, hasNextPage: isMore, nextAfter: data.at(-1).sequence });
      after = pagination.nextAfter;
    }
    expect(pages.flat()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(pages).toHaveLength(Math.ceil(10 / limit));
    for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit);
  }
  expect(await sequences("?after=7")).toEqual([8, 9, 10]);
  for (const after of [10, 11, Number.MAX_SAFE_INTEGER])
    expect(await feed(`?after=${after}&limit=2`)).toEqual({
      data: [],
      pagination: { limit: 2, hasNextPage: false, nextAfter: after },
    });
});

const ofKind = (kind: RegExp) => types.flatMap((type, index) => (kind.test(type) ? index + 1 : []));
const filters: [string, number[]][] = [
  ["resource=account", ofKind(/^account/)],
  ["resource=contact", ofKind(/^contact/)],
  ["resource=meeting", ofKind(/^meeting/)],
  ["resource=request", ofKind(/^request/)],
  ["action=created", ofKind(/created$/)],
  ["action=updated", ofKind(/updated$/)],
  ["action=deleted", ofKind(/deleted$/)],
  ["action=health_changed", []],
  ["resource=contact&action=created", [2, 8]],
  ["resource=account&action=updated", [5]],
  ["resource=meeting&action=deleted", []],
  ["resource=contact&action=health_changed", []],
];
test("a filter returns the changes of its kind, in pages too", async () => {
  const { feed, sequences } = await tenChanges();
  for (const [query, wanted] of filters) {
    // nextAfter is the end of the log, so that the next request does not read it again.
    const { pagination } = await feed(`?${query}`);
    expect([query, pagination]).toEqual([query, { limit: 1_000, hasNextPage: false, nextAfter: 10 }]);
    for (const after of [0, 1, 2, 5, 9])
      expect([query, after, await sequences(`?${query}&after=${after}`)]).toEqual([
        ...[query, after, wanted.filter((sequence) => sequence > after)],
      ]);
    const [first, ...others] = wanted;
    if (first === undefined) continue;
    const page = await feed(`?${query}&limit=1`);
    expect([query, page.data.length]).toEqual([query, 1]);
    const isMore = others.length > 0;
    expect(page.pagination).toEqual({ limit: 1, hasNextPage: isMore, nextAfter: isMore ? first : 10 });
    expect([query, await sequences(`?${query}&after=${first}`)]).toEqual([query, others]);
  }
});

const lists = ["contact", "meeting", "request"] as const;

/** Two accounts with a row of each list; the rows of the first one moved to the second one, except for new ones. It is deleted. */
async function deletedAccount() {
  const here = await changeWorld();
  const row = { name: "Ada", title: "Review", startAt: "2026-01-01", endAt: "2026-01-01" };
  for (const name of ["Acme", "Globex"]) await here.send("POST", "/api/v1/accounts", { name });
  for (const list of lists) {
    const path = `/api/v1/accounts/1/${list}s`;
    await here.send("POST", path, { ...row, externalId: "moved" });
    await here.send("PUT", `/api/v1/${list}s/external/moved`, { accountId: 2 });
    await here.send("POST", path, row);
    await here.send("POST", `/api/v1/accounts/2/${list}s`, row);
  }
  await here.call("DELETE", "/api/v1/accounts/1");
  return here;
}

test.each(lists)("a reader of the changes of %ss alone gets the delete of their account", async (list) => {
  const { feed, call } = await deletedAccount();
  const typesOf = async (query: string) => (await feed(`?${query}`)).data.map(({ type }: Change) => type);
  const own = ["created", "updated", "created", "created"].map((action) => `${list}.${action}`);
  expect(await typesOf(`resource=${list}`)).toEqual([...own, "account.deleted"]);
  expect(await typesOf(`resource=${list}&action=deleted`)).toEqual(["account.deleted"]);
  expect(await typesOf(`resource=${list}&action=created`)).toEqual(own.filter((type) => type !== own[1]));
  expect(await typesOf("resource=account")).toEqual([
    "account.created",
    "account.created",
    "account.deleted",
  ]);
  expect(await typesOf("action=deleted")).toEqual(["account.deleted"]);
  const mirror = new Map<number, unknown>();
  for (let after = 0, isMore = true; isMore; ) {
    const { data, pagination } = await feed(`?resource=${list}&limit=1&after=${after}`);
    for (const change of data) {
      if (change.type === "account.deleted")
        for (const [id, accountId] of mirror) if (accountId === change.accountId) mirror.delete(id);
      if (change.type !== "account.deleted") mirror.set(change.resourceId, change.accountId);
    }
    ({ nextAfter: after, hasNextPage: isMore } = pagination);
  }
  const { data } = (await call("GET", `/api/v1/${list}s?sortBy=createdAt`)).body;
  expect([...mirror]).toEqual(data.map(({ id, accountId }: Body) => [id, accountId]));
  expect(mirror.size).toBe(2);
});

test("a filter reads at most 10,000 changes, and nextAfter continues after them", async () => {
  const { feed, send } = await manyChanges(10_002);
  await send("POST", "/api/v1/accounts", { name: "Last", contactName: "Ada" });
  const first = await feed("?resource=contact");
  expect(first).toEqual({ data: [], pagination: { limit: 1_000, hasNextPage: true, nextAfter: 10_000 } });
  const second = await feed("?resource=contact&after=10000");
  expect(second.data.map(({ sequence }: { sequence: number }) => sequence)).toEqual([10_004]);
  expect(second.pagination).toEqual({ limit: 1_000, hasNextPage: false, nextAfter: 10_004 });
});

test("a page has 1,000 changes by default and at most", async () => {
  const { feed, changes } = await manyChanges(1_005);
  for (const query of ["", "?limit=1000"]) {
    const { data, pagination } = await feed(query);
    expect(data).toHaveLength(1_000);
    expect(pagination).toEqual({ limit: 1_000, hasNextPage: true, nextAfter: 1_000 });
  }
  expect((await changes()).map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: 1_005 }, (_, index) => index + 1),
  );
});

test("a change has the key that made it, also after the key is revoked, and the request id", async () => {
  const { call, send, changes, engine, first } = await changeWorld();
  const newKey = { organizationId: first.id, name: "crm", expiresAt: null };
  const { key, secret } = await storeKey(engine, newKey);
  await send(
    "POST",
    "/api/v1/accounts",
    { name: "Acme", contactName: "Ada" },
    { key: secret, headers: { "x-request-id": "import-7" } },
  );
  await revokeKey(engine, key.id);
  // An invalid request id is replaced. The change has the one of the reply.
  const reply = await call(
    "POST",
    "/api/v1/accounts",
    { name: "Globex" },
    { headers: { "x-request-id": "a b" } },
  );
  const byCrm = { actor: { type: "key", id: key.id, name: "crm" }, requestId: "import-7" };
  const shown = (await changes()).map(({ actor, requestId }): Body => ({ actor, requestId }));
  expect(shown).toEqual([
    byCrm,
    byCrm,
    {
      actor: { type: "key", id: expect.any(Number), name: "test" },
      requestId: reply.headers.get("x-request-id"),
    },
  ]);
});

test("a change of the command line has the actor cli and no request id", async () => {
  const { tenant, changes } = await changeWorld();
  await tenant().write((tx) => createAccount(tx, { name: "Acme", contactName: "Ada" }));
  expect((await changes()).map(({ type, actor, requestId }) => ({ type, actor, requestId }))).toEqual([
    { type: "account.created", actor: { type: "cli" }, requestId: null },
    { type: "contact.created", actor: { type: "cli" }, requestId: null },
  ]);
});
