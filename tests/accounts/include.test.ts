import { expect, test } from "bun:test";
import { includable, placeOfIncluded, wantedMembers } from "../../src/accounts/included.ts";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { type Body, beginning, beginningText, world } from "../support/world.ts";

const all = includable.join(",");
const hour = 3_600_000;
const day = 24 * hour;
const textOf = (time: number) => new Date(time).toISOString();

/** An account with rows of every kind, and one without any. */
async function includeWorld() {
  const here = await world();
  const send = async (method: string, path: string, body: Body) => {
    const reply = await here.call(method, path, body);
    if (reply.status >= 300) throw new Error(`${path}: ${reply.text}`);
    return reply.body.data;
  };
  await here.account({
    name: "Acme",
    externalId: "acme",
    contactName: "Ada",
    contactEmail: "ada@example.com",
    attributes: { plan: "pro", constructor: 5, trial: false },
  });
  await here.account({ name: "Empty", externalId: "empty", status: "churned" });
  const [startAt, endAt] = [textOf(beginning - day), textOf(beginning - day + hour)];
  await send("POST", "/api/v1/accounts/1/meetings", { title: "Review", startAt, endAt });
  await send("POST", "/api/v1/accounts/1/meetings", {
    title: "Later",
    startAt: textOf(beginning + day),
    endAt: textOf(beginning + day),
  });
  await send("POST", "/api/v1/accounts/1/requests", { title: "SSO", status: "Done", requestedAt: startAt });
  await send("POST", "/api/v1/last-seen", {
    items: [{ accountId: 1, source: "vitally", lastSeenAt: textOf(beginning - 2 * hour) }],
  });
  await send("POST", "/api/v1/events", { event: "login", accountId: 1, timestamp: textOf(beginning - hour) });
  await runDueJobs(here);
  return { ...here, send };
}
type IncludeWorld = Awaited<ReturnType<typeof includeWorld>>;

/** What an account includes, from the other operations. */
async function expectedOf({ call }: IncludeWorld, id: number) {
  const { contacts, meetings, requests } = (await call("GET", `/api/v1/accounts/${id}`)).body.data;
  const { score, tier, coverage, contactActivity } = (await call("GET", `/api/v1/accounts/${id}/health`)).body
    .data;
  return {
    status: id === 1 ? "active" : "churned",
    health: { score, tier, coverage },
    contactActivity: contactActivity.at === null ? null : contactActivity,
    contacts,
    meetings,
    requests,
    attributes: id === 1 ? { constructor: 5, plan: "pro", trial: false } : {},
  };
}

test("every operation of accounts includes every member, and nothing else changes", async () => {
  const here = await includeWorld();
  const { call } = here;
  const expected = await expectedOf(here, 1);
  expect(expected.contactActivity).toEqual({ at: textOf(beginning - hour), source: "event" });
  expect(expected.health).toMatchObject({ score: expect.any(Number), tier: "healthy" });
  expect(expected.contacts).toHaveLength(1);
  expect(expected.meetings).toEqual([expect.objectContaining({ title: "Review" })]);
  expect(expected.requests).toHaveLength(1);
  const mrr = { mrr: 0 };
  for (const [method, path, body] of [
    ["GET", "/api/v1/accounts/1"],
    ["GET", "/api/v1/accounts/external/acme"],
    ["PATCH", "/api/v1/accounts/1", mrr],
    ["PATCH", "/api/v1/accounts/external/acme", mrr],
    ["PUT", "/api/v1/accounts/external/acme", mrr],
  ] as const) {
    const without = (await call(method, path, body)).body.data;
    for (const name of includable) {
      const { data } = (await call(method, `${path}?include=${name}`, body)).body;
      expect([method, path, data]).toEqual([method, path, { ...without, [name]: expected[name] }]);
    }
    expect((await call(method, `${path}?include=${all}`, body)).body.data).toEqual({
      ...without,
      ...expected,
    });
  }
});

test("a list includes every member of every row, in every combination of two", async () => {
  const here = await includeWorld();
  const rows = (await here.call("GET", "/api/v1/accounts")).body.data;
  const expected: Record<string, unknown>[] = [await expectedOf(here, 1), await expectedOf(here, 2)];
  for (const one of includable)
    for (const other of includable) {
      const { data } = (await here.call("GET", `/api/v1/accounts?include=${one},${other}`)).body;
      expect([one, other, data]).toEqual([
        one,
        other,
        rows.map((row: Body, i: number) => ({
          ...row,
          [one]: expected[i]?.[one],
          [other]: expected[i]?.[other],
        })),
      ]);
    }
  const { body } = await here.call("GET", `/api/v1/accounts?include=${all}&search=mpt&pageSize=1`);
  expect(body).toEqual({
    data: [{ ...rows[1], ...expected[1] }],
    pagination: expect.objectContaining({ total: 1, pageSize: 1 }),
  });
  expect((await here.call("GET", `/api/v1/accounts?include=${all}&search=nothing`)).body.data).toEqual([]);
});

test("a create includes its first contact and has no score yet", async () => {
  const { call } = await includeWorld();
  const body = { name: "New", contactName: "Grace" };
  const posted = await call("POST", `/api/v1/accounts?include=${all}`, body);
  expect([posted.status, posted.body.data]).toEqual([
    201,
    {
      ...{ id: 3, name: "New", externalId: null, mrr: 0, active: true, churned: false, onboarding: false },
      ...{ createdAt: beginningText, updatedAt: beginningText },
      ...{ status: "active", health: { score: null, tier: null, coverage: 0.25 }, contactActivity: null },
      ...{ contacts: [{ id: 2, name: "Grace", email: null }], meetings: [], requests: [], attributes: {} },
    },
  ]);
  const put = await call("PUT", "/api/v1/accounts/external/new?include=status,contacts", { name: "Put" });
  expect([put.status, put.body.data.status, put.body.data.contacts]).toEqual([201, "active", []]);
});

test("the reply to an update includes what the update changed", async () => {
  const { call } = await includeWorld();
  const body = { contactActivityAt: textOf(beginning - 60_000), status: "inactive" };
  const { data } = (await call("PATCH", "/api/v1/accounts/1?include=status,health,contactActivity", body))
    .body;
  expect(data).toMatchObject({
    status: "inactive",
    health: { score: null, tier: null },
    contactActivity: { at: body.contactActivityAt, source: "api" },
  });
});

test("an event counts as contact activity where there is no other; a list shows it at once", async () => {
  const { call, send } = await includeWorld();
  const timestamp = textOf(beginning - 3 * hour);
  await send("POST", "/api/v1/events", { event: "login", accountId: 2, timestamp });
  const activity = { at: timestamp, source: "event" };
  const path = "/api/v1/accounts";
  expect((await call("GET", `${path}?include=contactActivity`)).body.data[1].contactActivity).toEqual(
    activity,
  );
  expect((await call("GET", `${path}/2?include=contactActivity`)).body.data.contactActivity).toEqual(
    activity,
  );
});

test("fields names included members without include, and leaves out those that it does not name", async () => {
  const here = await includeWorld();
  const { health, contacts } = await expectedOf(here, 1);
  for (const path of ["/api/v1/accounts/1", "/api/v1/accounts"]) {
    const read = async (query: string) => [(await here.call("GET", `${path}?${query}`)).body.data].flat()[0];
    expect(await read("fields=name,health")).toEqual({ id: 1, name: "Acme", health });
    expect(await read("fields=name&include=health,status")).toEqual({ id: 1, name: "Acme" });
    expect(await read("fields=contacts,status&include=status")).toEqual({
      id: 1,
      contacts,
      status: "active",
    });
  }
});

test("health of more than 5,000 facts is read in a reader, by the id and by the external id", async () => {
  const { account, execute, tenant } = await world();
  const { id } = await account({ name: "Acme", externalId: "acme" });
  const places = () =>
    Promise.all(
      [id, "acme", "none"].map((key) => placeOfIncluded(tenant(), key, wantedMembers({ include: "health" }))),
    );
  expect(await places()).toEqual(["serving", "serving", "serving"]);
  const numbers = Array.from({ length: 5_001 }, (_, i) => `(${i})`).join();
  await execute(`INSERT INTO meetings
    (organization_id, account_id, title, folded_title, start_at, end_at, created_at, updated_at)
    SELECT 1, ${id}, 'm', 'm', ${beginning - hour}, ${beginning}, 0, 0 FROM (VALUES ${numbers}) AS number`);
  // Reads of one turn of the event loop share a snapshot.
  await new Promise(setImmediate);
  expect(await places()).toEqual(["reader", "reader", "serving"]);
});

test("an unknown name is 400 with the closest valid name, or with all valid names", async () => {
  const { call } = await includeWorld();
  for (const [name, detail] of [
    ["contact", "Unknown field: did you mean `contacts`?"],
    ["status,helth", "Unknown field: did you mean `health`?"],
    ["zzzzzz", expect.stringContaining(includable.map((one) => `\`${one}\``).join(", "))],
    ["", expect.stringContaining("The valid names are")],
    ["__proto__", expect.stringContaining("The valid names are")],
    ["logoUrl", expect.stringContaining("Unknown field")],
  ] as const)
    for (const [method, path, body] of [
      ["GET", "/api/v1/accounts"],
      ["GET", "/api/v1/accounts/1"],
      ["POST", "/api/v1/accounts", { name: "New" }],
      ["PATCH", "/api/v1/accounts/1", { mrr: 9 }],
      ["PUT", "/api/v1/accounts/external/acme", { mrr: 9 }],
    ] as const) {
      const reply = await call(method, `${path}?include=${name}`, body);
      expect([name, reply.status, reply.body.errors]).toEqual([
        name,
        400,
        [{ parameter: "include", code: "not_allowed", detail }],
      ]);
    }
  expect((await call("GET", "/api/v1/accounts")).body.pagination.total).toBe(2);
});

test("contacts, meetings and requests have no include", async () => {
  const { call } = await includeWorld();
  for (const path of ["/api/v1/contacts/1", "/api/v1/accounts/1/contacts", "/api/v1/requests"])
    expect((await call("GET", `${path}?include=status`)).body.code).toBe("unknown_parameter");
});

test("embedded lists of a page have the limits of a get, and only rows of their account and organization", async () => {
  const { call, account, second } = await world();
  const options = { key: second.key };
  await account({ name: "Theirs", contactName: "Theirs" }, options);
  const { id } = await account({ name: "Ours" });
  await account({ name: "Other", contactName: "Other" });
  for (let i = 0; i < 103; i += 1) await call("POST", `/api/v1/accounts/${id}/contacts`, { name: `c${i}` });
  const { contacts } = (await call("GET", `/api/v1/accounts/${id}`)).body.data;
  expect(contacts).toHaveLength(100);
  const { data } = (await call("GET", "/api/v1/accounts?include=contacts,meetings,requests")).body;
  expect(data.map((row: Body) => [row.name, (row.contacts as Body[]).length])).toEqual([
    ["Other", 1],
    ["Ours", 100],
  ]);
  expect(data[1].contacts).toEqual(contacts);
  const theirs = (await call("GET", "/api/v1/accounts?include=contacts,status", undefined, options)).body
    .data;
  expect(theirs.map((row: Body) => [row.name, (row.contacts as Body[]).length])).toEqual([["Theirs", 1]]);
});
