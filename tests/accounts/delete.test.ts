import { expect, test } from "bun:test";
import type { Body } from "../support/world.ts";
import { accounts, accountTables, deleteWorld } from "./delete-world.ts";

type World = Awaited<ReturnType<typeof deleteWorld>>;

const ways: [string, (here: World) => string][] = [
  ["its id", ({ acme }) => `${accounts}/${acme.account}`],
  ["its externalId", () => `${accounts}/external/acme`],
];

for (const [way, pathIn] of ways) {
  test(`DELETE by ${way} is 204 without a body; a second one is 404`, async () => {
    const here = await deleteWorld();
    const reply = await here.call("DELETE", pathIn(here));
    expect([reply.status, reply.text, reply.headers.get("content-type")]).toEqual([204, "", null]);
    const again = await here.call("DELETE", pathIn(here));
    expect([again.status, again.body.code]).toEqual([404, "not_found"]);
  });

  test(`after a DELETE by ${way} no operation finds the account, at once and after the job`, async () => {
    const here = await deleteWorld();
    const { acme, globex, call, send, status, runJobs } = here;
    const before = await readAccounts(here);
    expect(await status("DELETE", pathIn(here))).toBe(204);
    for (const state of ["at once", "after the job"]) {
      if (state === "after the job") await runJobs();
      for (const [method, path, body] of pathsOf(acme))
        expect([state, method, path, await status(method, path, body)]).toEqual([state, method, path, 404]);
      expect([state, await readAccounts(here)]).toEqual([
        state,
        before.filter(({ id }) => id !== acme.account),
      ]);
      for (const query of [
        "externalId=acme",
        "search=acme",
        "search=acme&sortBy=mrr",
        "externalId=acme&status=active",
      ]) {
        const { data, pagination } = (await call("GET", `${accounts}?${query}`)).body;
        expect([state, query, data, pagination.total]).toEqual([state, query, [], 0]);
      }
      for (const query of ["", "?status=active", "?search=name", "?sortBy=updatedAt&sortOrder=desc"])
        expect([state, (await call("GET", `${accounts}${query}`)).body.pagination.total]).toEqual([state, 1]);
      expect((await call("GET", "/api/v1/requests")).body).toMatchObject({
        data: [{ id: globex.requests }],
        pagination: { total: 1 },
      });
      const ofAccount = (await call("GET", `/api/v1/requests?accountId=${acme.account}`)).body;
      expect([ofAccount.data, ofAccount.pagination.total]).toEqual([[], 0]);
      const health = (await call("GET", "/api/v1/health")).body;
      expect(health.data).toMatchObject([{ accountId: globex.account, externalId: "globex" }]);
      expect(health.pagination.total).toBe(1);
      const { tiers } = await send("GET", "/api/v1/health/summary");
      const sum = (name: string) =>
        tiers.reduce((total: number, tier: Body) => total + Number(tier[name]), 0);
      expect([state, sum("accounts"), sum("mrr")]).toEqual([state, 1, 10]);
    }
  });
}

/** Everything that can be read of each listed account. */
async function readAccounts({ send }: World): Promise<Body[]> {
  const all: Body[] = [];
  for (const { id } of await send("GET", accounts)) {
    const paths = ["", "/contacts", "/meetings", "/requests", "/usage?from=2025-12-01", "/health"];
    const shown = await Promise.all(paths.map((path) => send("GET", `${accounts}/${id}${path}`)));
    all.push({ id, shown });
  }
  return all;
}

/** Every operation on the account and on its sub-resources. */
function pathsOf(acme: World["acme"]): [string, string, Body?][] {
  const account = `${accounts}/${acme.account}`;
  const bodies = {
    contacts: { name: "Bob" },
    meetings: { title: "B", startAt: "2026-01-01", endAt: "2026-01-01" },
    requests: { title: "B" },
  };
  return [
    ["GET", account],
    ["PATCH", account, { mrr: 1 }],
    ["DELETE", account],
    ["GET", `${accounts}/external/acme`],
    ["PATCH", `${accounts}/external/acme`, { mrr: 1 }],
    ["DELETE", `${accounts}/external/acme`],
    ["GET", `${account}/usage`],
    ["GET", `${account}/health`],
    ["GET", `${account}/history`],
    ...(["contacts", "meetings", "requests"] as const).flatMap((list): [string, string, Body?][] => [
      ["GET", `${account}/${list}`],
      ["POST", `${account}/${list}`, bodies[list]],
      ["GET", `/api/v1/${list}/${acme[list]}`],
      ["PATCH", `/api/v1/${list}/${acme[list]}`, { externalId: null }],
      ["DELETE", `/api/v1/${list}/${acme[list]}`],
      ["GET", `/api/v1/${list}/external/acme`],
      ["DELETE", `/api/v1/${list}/external/acme`],
      ["PUT", `/api/v1/${list}/external/new`, { ...bodies[list], accountId: acme.account }],
      ["PUT", `/api/v1/${list}/external/new`, { ...bodies[list], accountExternalId: "acme" }],
    ]),
  ];
}

test("the external ids of a deleted account and of its sub-resources, and its contacts' addresses, are free at once", async () => {
  const { send, status, call, acme } = await deleteWorld();
  await send("DELETE", `${accounts}/${acme.account}`);
  const { id } = await send("POST", accounts, { name: "New", externalId: "acme" });
  expect(id).toBeGreaterThan(acme.account);
  const times = { startAt: "2026-01-01", endAt: "2026-01-01" };
  const paths = `${accounts}/${id}`;
  const created = [
    await send("POST", `${paths}/contacts`, { name: "Ada", email: "ada@acme.io", externalId: "acme" }),
    await send("PUT", "/api/v1/meetings/external/acme", { title: "Kickoff", accountId: id, ...times }),
    await send("PUT", "/api/v1/requests/external/acme", { title: "SSO", accountExternalId: "acme" }),
  ];
  expect(created.map((row) => [row.externalId, row.accountId])).toEqual(Array(3).fill(["acme", id]));
  // The new account has no data of the deleted one.
  expect((await call("GET", `${paths}/usage`)).body.data).toEqual([]);
  const met = { at: "2026-01-01T00:00:00.000Z", source: "meeting" };
  expect((await send("GET", `${paths}/health`)).contactActivity).toEqual(met);
  const types = (await call("GET", `${paths}/history`)).body.data.map(({ type }: Body) => type);
  expect(types).toEqual(["request.created", "meeting.created", "contact.created", "account.created"]);
  expect(await status("GET", `${accounts}/${acme.account}`)).toBe(404);
});

test("a deleted account leaves every table except changes", async () => {
  const { acme, globex, rowsOf, send, runJobs } = await deleteWorld();
  const before = [await rowsOf(acme.account), await rowsOf(globex.account)];
  // The test detects only tables in which the account had rows.
  const empty = accountTables.filter((table) => before[0]?.[table] === 0);
  expect(empty).toEqual(["account_changes", "account_deletions", "attachments", "webhook_deliveries"]);
  await send("DELETE", `${accounts}/${acme.account}`);
  expect(await rowsOf(acme.account)).toMatchObject({
    account_deletions: 1,
    contacts: 0,
    meetings: 0,
    requests: 0,
  });
  await runJobs();
  const { changes, ...others } = await rowsOf(acme.account);
  expect(Object.entries(others).filter(([, count]) => count > 0)).toEqual([]);
  expect(changes).toBe(Number(before[0]?.changes) + 1);
  expect(await rowsOf(globex.account)).toEqual(before[1] as Record<string, number>);
});

test("the change log has one account.deleted with the members of the account, and no change of its sub-resources", async () => {
  const { call, send, acme, runJobs } = await deleteWorld();
  await send("PATCH", `${accounts}/${acme.account}`, { status: "onboarding", logoUrl: "https://x.io/a.png" });
  await runJobs();
  const shown = await send("GET", `${accounts}/${acme.account}`);
  const all = async () => (await call("GET", "/api/v1/changes")).body.data;
  const before = await all();
  await send("DELETE", `${accounts}/external/acme`);
  await runJobs();
  const added = (await all()).slice(before.length);
  const { contacts: _, meetings: __, requests: ___, ...members } = shown;
  expect(added).toEqual([
    {
      sequence: before.length + 1,
      type: "account.deleted",
      time: expect.any(String),
      resourceId: acme.account,
      accountId: acme.account,
      actor: { type: "key", id: 1, name: "test" },
      requestId: expect.any(String),
      before: { ...members, status: "onboarding", attributes: {}, contactActivityAt: null },
      after: null,
    },
  ]);
  // Earlier changes are unchanged.
  expect((await all()).slice(0, before.length)).toEqual(before);
});

test("events for the externalId of a deleted account are pending; the next account with that externalId gets only those", async () => {
  const { acme, call, send, runJobs } = await deleteWorld();
  const event = { event: "read", externalId: "acme", messageId: "m1" };
  expect(await send("POST", "/api/v1/events", { events: [event] })).toMatchObject({ accepted: 1 });
  await send("DELETE", `${accounts}/${acme.account}`);
  const receipt = await send("POST", "/api/v1/events", { events: [{ ...event, messageId: "m2" }] });
  expect(receipt).toMatchObject({ accepted: 0, parked: 1 });
  const byId = { event: "read", accountId: acme.account };
  expect(await send("POST", "/api/v1/events", { events: [byId] })).toMatchObject({
    rejected: 1,
    items: [{ code: "unknown_account" }],
  });
  const items = [{ externalId: "acme", source: "crm", lastSeenAt: "2026-01-06" }];
  expect(await send("POST", "/api/v1/last-seen", { items })).toMatchObject({ rejected: 1 });
  const unmatched = async () => (await send("GET", "/api/v1/events/unmatched")) as Body[];
  expect(await unmatched()).toMatchObject([
    { externalId: "acme", count: 1 },
    { externalId: "nobody", count: 3 },
  ]);
  await runJobs();
  expect(await unmatched()).toHaveLength(2);
  // The deleted account's events are deleted, so their message ids are not duplicates.
  expect(await send("POST", "/api/v1/events", { events: [event] })).toMatchObject({ parked: 1 });
  const { id } = await send("POST", accounts, { name: "New", externalId: "acme" });
  expect(await unmatched()).toMatchObject([{ externalId: "nobody", count: 3 }]);
  expect((await call("GET", `${accounts}/${id}/usage`)).body.data).toMatchObject([
    { event: "read", count: 2 },
  ]);
});

test("of 8 concurrent DELETEs one is 204; concurrent creates of contacts are 201 or 404", async () => {
  const { acme, call, status, rowsOf, runJobs } = await deleteWorld();
  const account = `${accounts}/${acme.account}`;
  const deletes = Array.from({ length: 8 }, (_, index) =>
    status("DELETE", index % 2 === 0 ? account : `${accounts}/external/acme`),
  );
  const creates = Array.from({ length: 8 }, (_, index) =>
    status("POST", `${account}/contacts`, { name: `New ${index}` }),
  );
  expect((await Promise.all(deletes)).toSorted()).toEqual([204, ...Array(7).fill(404)]);
  for (const created of await Promise.all(creates)) expect([201, 404]).toContain(created);
  await runJobs();
  const left = Object.entries(await rowsOf(acme.account)).filter(([, count]) => count > 0);
  expect(left.map(([table]) => table)).toEqual(["changes"]);
  const sequences = (await call("GET", "/api/v1/changes")).body.data.map(({ sequence }: Body) => sequence);
  expect(sequences).toEqual(sequences.map((_: number, index: number) => index + 1));
});
