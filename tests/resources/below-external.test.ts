import { expect, test } from "bun:test";
import { world } from "../support/world.ts";

const externalId = "a/b c+ü%2F";
const byExternalId = `/api/v1/accounts/external/${encodeURIComponent(externalId)}`;
const lists = ["contacts", "meetings", "requests"] as const;
const newRow = { name: "Ada", title: "Review", startAt: "2026-01-01", endAt: "2026-01-01" };

/** A world with an account that has a row of each list, an event and a score, and another account. */
async function belowWorld() {
  const here = await world();
  const { id } = await here.account({ name: "Acme", externalId });
  await here.account({ name: "Globex", externalId: "globex" });
  for (const list of lists) await here.call("POST", `/api/v1/accounts/${id}/${list}`, newRow);
  await here.call("POST", "/api/v1/events", { event: "login", externalId, userId: "u" });
  return { ...here, byId: `/api/v1/accounts/${id}` };
}

const reads = [
  "",
  ...["/health", "/health?asOf=2026-01-01", "/health/history", "/usage", "/usage?event=login&cursor="],
  ...["/history", "/history?pageSize=2&page=2", "/history?cursor=", ...lists.map((list) => `/${list}`)],
  ...["/contacts?externalId=none", "/contacts?search=ada&sortBy=name", "/meetings?cursor=&sortBy=startAt"],
];

test("every read below an account has the same reply by its id and by its externalId", async () => {
  const { call, byId } = await belowWorld();
  for (const path of reads) {
    const expected = await call("GET", byId + path);
    const reply = await call("GET", byExternalId + path);
    expect([path, reply.status, reply.body]).toEqual([path, 200, expected.body]);
    const link = reply.headers.get("link");
    expect([path, link?.replaceAll(byExternalId, byId)]).toEqual([
      path,
      expected.headers.get("link") ?? undefined,
    ]);
    expect((await call("HEAD", byExternalId + path)).status).toBe(200);
  }
  expect((await call("GET", `${byExternalId}/usage`)).body.data).toMatchObject([
    { event: "login", count: 1 },
  ]);
});

test("an externalId that no account has is not found, byte for byte, before and after its account is deleted", async () => {
  const { call, byId } = await belowWorld();
  const detail = "There is no account with this externalId in your organization.";
  const assertMissing = async (path: string) => {
    const replies = [
      ...(await Promise.all(reads.map((read) => call("GET", path + read)))),
      ...(await Promise.all(lists.map((list) => call("POST", `${path}/${list}`, newRow)))),
    ];
    for (const { status, body } of replies)
      expect([status, body.code, body.detail]).toEqual([404, "not_found", detail]);
  };
  for (const other of ["A%2Fb%20c+%C3%BC%252F", "1", "acme"])
    await assertMissing(`/api/v1/accounts/external/${other}`);
  await call("DELETE", byId);
  await assertMissing(byExternalId);
});

test("a cursor of a list by the id continues the list by the externalId", async () => {
  const { call, byId } = await belowWorld();
  await call("POST", `${byId}/contacts`, { name: "Bob" });
  for (const list of ["contacts?pageSize=1&cursor=", "history?pageSize=1&cursor="]) {
    const { nextCursor } = (await call("GET", `${byId}/${list}`)).body.pagination;
    const [next, expected] = [
      await call("GET", `${byExternalId}/${list}${nextCursor}`),
      await call("GET", `${byId}/${list}${nextCursor}`),
    ];
    expect([next.status, next.body]).toEqual([200, expected.body]);
  }
});

test.each(lists)(
  "a POST of %s by the externalId replies and validates as the one by the id",
  async (list) => {
    const { call, byId } = await belowWorld();
    const post = (path: string, body: object, headers = {}) =>
      call("POST", `${path}/${list}`, body, { headers });
    const created = await post(byExternalId, newRow);
    const expected = await post(byId, newRow);
    expect([created.status, created.body.data]).toEqual([
      201,
      { ...expected.body.data, id: created.body.data.id },
    ]);
    expect(created.headers.get("location")).toBe(`/api/v1/${list}/${created.body.data.id}`);
    const found = await call("GET", `/api/v1/${list}/${created.body.data.id}`);
    expect([found.body, found.headers.get("etag")]).toEqual([created.body, created.headers.get("etag")]);
    for (const body of [{}, { ...newRow, name: 1, title: 1 }]) {
      const [invalid, reference] = [await post(byExternalId, body), await post(byId, body)];
      expect([invalid.status, invalid.body]).toEqual([400, reference.body]);
    }
  },
);

test.each(lists)(
  "a POST of %s by the externalId can be a dry run, repeated, and in a batch",
  async (list) => {
    const { call, byId } = await belowWorld();
    const count = async () => (await call("GET", `${byId}/${list}`)).body.pagination.total;
    const dry = await call("POST", `${byExternalId}/${list}?dryRun=true`, newRow);
    expect([dry.status, dry.headers.get("dry-run"), await count()]).toEqual([201, "true", 1]);
    const options = { headers: { "idempotency-key": "once" } };
    const first = await call("POST", `${byExternalId}/${list}`, newRow, options);
    const again = await call("POST", `${byExternalId}/${list}`, newRow, options);
    expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([
      201,
      first.text,
      "true",
    ]);
    const otherPath = await call("POST", `${byId}/${list}`, newRow, options);
    expect([otherPath.status, otherPath.body.code]).toEqual([422, "idempotency_key_reused"]);
    expect(await count()).toBe(2);
    const operations = [
      { method: "POST", path: `${byExternalId}/${list}`, body: newRow },
      { method: "POST", path: `/api/v1/accounts/external/nobody/${list}`, body: newRow },
    ];
    const { results } = (await call("POST", "/api/v1/batch", { mode: "partial", operations })).body.data;
    expect(results).toMatchObject([
      { status: 201, body: { data: { accountId: first.body.data.accountId } } },
      { status: 404, body: { code: "not_found" } },
    ]);
    expect(await count()).toBe(3);
  },
);
