import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { setOrganizationTraits } from "../../src/organizations/settings.ts";
import { reactions } from "../../src/reactions.ts";
import { type Body, beginningText, world } from "../support/world.ts";

type World = Awaited<ReturnType<typeof world>>;
/** Throws when the reaction did not run. */
type Check = (here: World) => Promise<void>;

const accounts = "/api/v1/accounts";
const account = `${accounts}/1`;
const meeting = { title: "Kickoff", startAt: "2026-01-01", endAt: "2026-01-01" };

/** For each reaction, a check of its effect on replies. */
const checks: Record<string, Check> = {
  "attributes of an account": async (here) => {
    await here.account({ name: "Acme", attributes: { plan: "pro" } });
    await expectTypeConflict(here, accounts, { name: "Globex" });
    await send(here, "DELETE", account);
    await here.account({ name: "Globex", attributes: { plan: 5 } });
  },
  "attributes of a contact": async (here) => {
    await here.account({ name: "Acme" });
    const contacts = `${account}/contacts`;
    await send(here, "POST", contacts, { name: "Ada", attributes: { plan: "pro" } });
    await expectTypeConflict(here, contacts, { name: "Bob" });
    await send(here, "DELETE", account);
    await here.account({ name: "Globex" });
    await send(here, "POST", `${accounts}/2/contacts`, { name: "Bob", attributes: { plan: 5 } });
  },
  "account counts": async (here) => {
    await here.account({ name: "Acme" });
    await here.account({ name: "Globex" });
    expect(await total(here)).toBe(2);
    await send(here, "PATCH", account, { status: "churned" });
    expect([await total(here), await total(here, "&status=churned")]).toEqual([2, 1]);
    await send(here, "DELETE", account);
    expect([await total(here), await total(here, "&status=churned")]).toEqual([1, 0]);
  },
  "pending traits": async (here) => {
    await setOrganizationTraits(here.engine, here.first.id, true);
    const call = { userId: "u1", traits: { name: "Ada" }, context: { groupId: "acme" } };
    await send(here, "POST", "/v1/identify", call);
    await here.account({ name: "Acme", externalId: "acme" });
    expect(await send(here, "GET", "/api/v1/contacts")).toMatchObject([{ userId: "u1", name: "Ada" }]);
  },
  "pending events": async (here) => {
    await send(here, "POST", "/api/v1/events", { events: [{ event: "read", externalId: "acme" }] });
    await here.account({ name: "Acme", externalId: "acme" });
    expect(await send(here, "GET", `${account}/usage`)).toMatchObject([{ event: "read", count: 1 }]);
    expect(await send(here, "GET", "/api/v1/events/unmatched")).toEqual([]);
  },
  "stale score after a meeting": async (here) => {
    await scored(here);
    await send(here, "POST", `${account}/meetings`, meeting);
    expect(await listedHealth(here)).toMatchObject({ score: 85, coverage: 0.4 });
    await send(here, "POST", `${account}/meetings`, meeting);
    expect(await listedHealth(here)).toMatchObject({ score: 90, coverage: 0.4 });
    await send(here, "DELETE", "/api/v1/meetings/1");
    expect(await listedHealth(here)).toMatchObject({ score: 85, coverage: 0.4 });
  },
  "stale score after a request": async (here) => {
    await scored(here);
    await send(here, "POST", `${account}/requests`, { title: "SSO", severity: 5 });
    expect(await listedHealth(here)).toMatchObject({ score: 89.1, coverage: 0.55 });
    await send(here, "POST", `${account}/requests`, { title: "SSO", severity: 5 });
    expect(await listedHealth(here)).toMatchObject({ score: 83.6, coverage: 0.55 });
    await send(here, "DELETE", "/api/v1/requests/1");
    expect(await listedHealth(here)).toMatchObject({ score: 89.1, coverage: 0.55 });
  },
  "known factor of meetings": async (here) => {
    await here.account({ name: "Acme" });
    await here.account({ name: "Globex" });
    await send(here, "POST", `${account}/meetings`, meeting);
    expect((await send(here, "GET", `${accounts}/2/health`)).factors).toMatchObject([{ key: "meetings" }]);
  },
  "known factor of requests": async (here) => {
    await here.account({ name: "Acme" });
    await here.account({ name: "Globex" });
    await send(here, "POST", `${account}/requests`, { title: "SSO" });
    const { factors } = await send(here, "GET", `${accounts}/2/health`);
    expect(factors).toMatchObject([{ key: "openRequests" }]);
  },
  "contacts of a deleted account": (here) => expectDeletedWithAccount(here, "contacts", { name: "Ada" }),
  "meetings of a deleted account": (here) => expectDeletedWithAccount(here, "meetings", meeting),
  "requests of a deleted account": (here) => expectDeletedWithAccount(here, "requests", { title: "SSO" }),
  "last-seen of a deleted account": async (here) => {
    await here.account({ name: "Acme" });
    const items = [{ accountId: 1, source: "crm", lastSeenAt: "2026-01-01" }];
    await send(here, "POST", "/api/v1/last-seen", { items });
    await send(here, "DELETE", account);
    expect(rowCount(here, "last_seen")).toBe(0);
  },
  "events and usage of a deleted account": async (here) => {
    await here.account({ name: "Acme" });
    await send(here, "POST", "/api/v1/events", { events: [{ event: "read", accountId: 1, userId: "u" }] });
    await send(here, "DELETE", account);
    await runDueJobs(here);
    expect([rowCount(here, "events"), rowCount(here, "usage_days")]).toEqual([0, 0]);
  },
};

async function expectTypeConflict({ call }: World, path: string, body: Body): Promise<void> {
  const reply = await call("POST", path, { ...body, attributes: { plan: 5 } });
  expect([reply.status, reply.body.code]).toEqual([400, "attribute_type_conflict"]);
}

async function send({ call }: World, method: string, path: string, body?: Body) {
  const reply = await call(method, path, body);
  if (reply.status >= 300) throw new Error(`${method} ${path} failed: ${reply.text}`);
  return reply.body.data;
}

/** The stored total: a list with more rows than a page does not count them. */
async function total({ call }: World, filter = ""): Promise<number> {
  return (await call("GET", `${accounts}?pageSize=1${filter}`)).body.pagination.total;
}

async function listedHealth(here: World): Promise<Body> {
  return (await send(here, "GET", "/api/v1/health"))[0];
}

/** Account 1, whose stored score is 100. */
async function scored(here: World): Promise<void> {
  await here.account({ name: "Acme" });
  await send(here, "PATCH", account, { contactActivityAt: beginningText });
  await runDueJobs(here);
  expect(await listedHealth(here)).toMatchObject({ score: 100, coverage: 0.3 });
}

async function expectDeletedWithAccount(here: World, list: string, body: Body): Promise<void> {
  await here.account({ name: "Acme" });
  await send(here, "POST", `${account}/${list}`, body);
  await send(here, "DELETE", account);
  expect((await here.call("GET", `/api/v1/${list}/1`)).status).toBe(404);
}

function rowCount({ file }: World, table: string): number {
  using database = new Database(file, { readonly: true });
  return Number(database.query(`SELECT count(*) FROM ${table}`).values()[0]?.[0]);
}

test("every reaction has a unique name and a check", () => {
  const names = reactions.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.toSorted()).toEqual(Object.keys(checks).toSorted());
});

for (const [name, check] of Object.entries(checks)) {
  test(`the check of "${name}" passes with all reactions`, async () => {
    await check(await world());
  });

  test(`the check of "${name}" fails without this reaction`, async () => {
    const others = reactions.filter((reaction) => reaction.name !== name);
    expect(others).toHaveLength(reactions.length - 1);
    const here = await world({ reactions: others });
    const hasFailed = await check(here).then(
      () => false,
      () => true,
    );
    expect(hasFailed).toBe(true);
  });
}
