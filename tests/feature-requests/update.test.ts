import { expect, test } from "bun:test";
import { beginningText } from "../support/world.ts";
import { requestWorld } from "./request-world.ts";

const laterText = "2026-01-02T03:04:06.678Z";
const stored = {
  title: "SSO",
  externalId: "JIRA-7",
  status: "Planned",
  severity: 4,
  requestedAt: "2026-01-01T10:00:00.000Z",
};

/** A world with one request, one second after its creation, and a function that patches it. */
async function worldWithRequest() {
  const here = await requestWorld();
  const before = await here.request(stored);
  here.pass(1000);
  return { ...here, before, change: (changes: unknown) => here.patch(before.id, changes) };
}

test("PATCH returns 200 and the request; updatedAt reflects the change", async () => {
  const { change, get, before } = await worldWithRequest();
  const reply = await change({
    title: "Single sign-on",
    externalId: "JIRA-8",
    status: "Declined",
    severity: 1,
    requestedAt: "2025-12-31T23:00:00-01:00",
  });
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    data: {
      id: 1,
      accountId: 1,
      externalId: "JIRA-8",
      title: "Single sign-on",
      status: "Declined",
      severity: 1,
      requestedAt: "2026-01-01T00:00:00.000Z",
      resolvedAt: laterText,
      createdAt: beginningText,
      updatedAt: laterText,
    },
  });
  expect((await get(before.id)).text).toBe(reply.text);
});

/** Each member absent, with a value, and null, with the status of a null. */
const states: { member: string; value: string | number; null: number }[] = [
  { member: "title", value: "Other", null: 400 },
  { member: "externalId", value: "other", null: 200 },
  { member: "status", value: "Started", null: 400 },
  { member: "severity", value: 5, null: 400 },
  { member: "requestedAt", value: "2026-01-02T03:04:06.678Z", null: 400 },
];
for (const { member, value, null: status } of states) {
  const other = member === "title" ? { externalId: "third" } : { title: "Third" };

  test(`PATCH ${member}: absent leaves it unchanged`, async () => {
    const { change, before } = await worldWithRequest();
    expect((await change(other)).body).toEqual({ data: { ...before, ...other, updatedAt: laterText } });
  });

  test(`PATCH ${member}: a value sets it`, async () => {
    const { change, get, before } = await worldWithRequest();
    const reply = await change({ [member]: value });
    expect(reply.body).toEqual({ data: { ...before, [member]: value, updatedAt: laterText } });
    expect((await get(before.id)).text).toBe(reply.text);
  });

  test(`PATCH ${member}: null is ${status}`, async () => {
    const { change, get, before } = await worldWithRequest();
    const reply = await change({ [member]: null });
    expect(reply.status).toBe(status);
    if (status === 400)
      expect(reply.body.errors).toMatchObject([{ pointer: `/${member}`, code: "wrong_type" }]);
    const changed = status === 200 ? { [member]: null, updatedAt: laterText } : {};
    expect((await get(before.id)).body).toEqual({ data: { ...before, ...changed } });
  });
}

test("PATCH externalId: an empty string clears it", async () => {
  const { change } = await worldWithRequest();
  expect((await change({ externalId: "" })).body.data.externalId).toBeNull();
});

test("PATCH requestedAt must be at most 5 minutes ahead; now is accepted", async () => {
  const { change, get, before } = await worldWithRequest();
  expect((await change({ title: "Changed", requestedAt: "2026-01-02T03:09:06.679Z" })).body).toMatchObject({
    status: 400,
    errors: [{ pointer: "/requestedAt", code: "in_future" }],
  });
  expect((await get(before.id)).body.data).toEqual(before);
});

test("a request can be updated without requestedAt, also if the clock was set back", async () => {
  const { change, put, pass, before } = await worldWithRequest();
  await change({ requestedAt: laterText });
  pass(-60_000);
  expect((await change({ title: "Other" })).status).toBe(200);
  expect((await put("JIRA-7", { status: "Done" })).status).toBe(200);
  expect((await change({ requestedAt: before.requestedAt })).status).toBe(200);
});

test("PATCH with a value that POST rejects is 400 and changes nothing", async () => {
  const { change, get, before } = await worldWithRequest();
  for (const [member, values] of Object.entries({
    title: ["", " ", "x".repeat(256), 5, {}],
    status: ["", "done", 5, {}],
    severity: [0, 6, 2.5, "3", {}],
    requestedAt: ["", "2026-02-30", "2030-01-01", 5, {}],
    resolvedAt: ["", "2026-02-30", "2026-01-02", 5, {}],
    externalId: ["x".repeat(256), 5, {}],
  }))
    for (const value of values)
      expect((await change({ ...stored, title: "New", [member]: value })).body).toMatchObject({
        code: "invalid_request",
        errors: [{ pointer: `/${member}` }],
      });
  expect((await get(before.id)).body.data).toEqual(before);
});

test("PATCH externalId equal to that of another request of the organization is 409, and changes nothing", async () => {
  const { change, request, get, before } = await worldWithRequest();
  await request({ ...stored, externalId: "other" }, 2);
  const reply = await change({ title: "Changed", externalId: "other" });
  expect([reply.status, reply.body.code]).toEqual([409, "external_id_conflict"]);
  expect((await get(before.id)).body.data).toEqual(before);
});

test("PATCH without a valid member is 400 no_valid_fields; read-only members do not count", async () => {
  const { change, get, before } = await worldWithRequest();
  for (const body of [
    {},
    { unknown: 1 },
    { id: 2, accountId: 2, createdAt: laterText, updatedAt: laterText },
  ]) {
    const reply = await change(body);
    expect([reply.status, reply.body.code]).toEqual([400, "no_valid_fields"]);
  }
  expect((await get(before.id)).body.data).toEqual(before);
});

test("PATCH ignores unknown and read-only members next to a valid one", async () => {
  const { change, before } = await worldWithRequest();
  const ignored = { id: 2, accountId: 2, createdAt: laterText, extra: [] };
  const { body } = await change({ title: "Other", ...ignored });
  expect(body).toEqual({ data: { ...before, title: "Other", updatedAt: laterText } });
});

test("a PATCH without a change leaves updatedAt", async () => {
  const { change, before } = await worldWithRequest();
  const { title, status, severity } = stored;
  for (const body of [stored, { title }, { status }, { severity }, { requestedAt: "2026-01-01T12:00+02:00" }])
    expect((await change(body)).body.data).toEqual(before);
});

test("a PATCH with a change strictly increases updatedAt, also within a millisecond", async () => {
  const { change } = await worldWithRequest();
  const times: string[] = [];
  for (const severity of [1, 2, 3, 5]) times.push((await change({ severity })).body.data.updatedAt);
  expect(times).toEqual([678, 679, 680, 681].map((ms) => `2026-01-02T03:04:06.${ms}Z`));
});

test("PATCH of a request that does not exist, or of another organization, is 404 with the same bytes", async () => {
  const { patch, call, account, put, second } = await worldWithRequest();
  const options = { key: second.key };
  const theirs = await account({ name: "Theirs" }, options);
  const { data } = (await put("theirs", { accountId: theirs.id, ...stored }, options)).body;
  const [missing, foreign] = [await patch(999, { title: "Mine" }), await patch(data.id, { title: "Mine" })];
  expect([missing.status, missing.body.detail]).toEqual([
    404,
    "There is no request with this id in your organization.",
  ]);
  expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
  expect((await call("GET", `/api/v1/requests/${data.id}`, undefined, options)).body.data).toEqual(data);
});
