import { expect, test } from "bun:test";
import { invalidRequest } from "../support/problems.ts";
import { beginningText } from "../support/world.ts";
import { requestWorld } from "./request-world.ts";

test("POST creates a request of the account: status 201, its fields in data, its path in Location", async () => {
  const { create, call } = await requestWorld();
  const reply = await create({
    title: "Single sign-on",
    externalId: "JIRA-7",
    status: "Planned",
    severity: 5,
    requestedAt: "2026-01-01T10:00:00+02:00",
  });
  expect([reply.status, reply.headers.get("location")]).toEqual([201, "/api/v1/requests/1"]);
  expect(reply.body).toEqual({
    data: {
      id: 1,
      accountId: 1,
      externalId: "JIRA-7",
      title: "Single sign-on",
      status: "Planned",
      severity: 5,
      requestedAt: "2026-01-01T08:00:00.000Z",
      resolvedAt: null,
      createdAt: beginningText,
      updatedAt: beginningText,
    },
  });
  const read = await call("GET", reply.headers.get("location") ?? "");
  expect([read.status, read.text]).toEqual([200, reply.text]);
});

test("title is the only required member: status Open, severity 3, requestedAt now, resolvedAt null", async () => {
  const { create } = await requestWorld();
  expect((await create({ title: "SSO" }, 2)).body).toEqual({
    data: {
      id: 1,
      accountId: 2,
      externalId: null,
      title: "SSO",
      status: "Open",
      severity: 3,
      requestedAt: beginningText,
      resolvedAt: null,
      createdAt: beginningText,
      updatedAt: beginningText,
    },
  });
});

test("title is 1 to 255 characters, not blank, and stored as sent", async () => {
  const { create, request } = await requestWorld();
  for (const title of ["𝔸".repeat(255), "  E\u0301va \"q\" 'x' "])
    expect((await request({ title })).title).toBe(title);
  expect((await create({})).body).toMatchObject(invalidRequest("/title", "required"));
  expect((await create({ title: "" })).body).toMatchObject(invalidRequest("/title", "too_short"));
  expect((await create({ title: " \t\u2003" })).body).toMatchObject(invalidRequest("/title", "blank"));
  expect((await create({ title: "𝔸".repeat(256) })).body).toMatchObject(invalidRequest("/title", "too_long"));
  for (const title of [null, 5, {}, []])
    expect((await create({ title })).body).toMatchObject(invalidRequest("/title", "wrong_type"));
});

test("status is Open, Planned, Started, Done or Declined", async () => {
  const { create, request } = await requestWorld();
  for (const status of ["Open", "Planned", "Started", "Done", "Declined"])
    expect(await request({ title: "SSO", status })).toMatchObject({ status });
  for (const status of ["open", "DONE", "Closed", ""])
    expect((await create({ title: "SSO", status })).body).toMatchObject(
      invalidRequest("/status", "not_allowed"),
    );
  for (const status of [null, 1, true, {}])
    expect((await create({ title: "SSO", status })).body).toMatchObject(
      invalidRequest("/status", "wrong_type"),
    );
});

test("severity is a whole number from 1 to 5", async () => {
  const { create, request } = await requestWorld();
  for (const severity of [1, 2, 3, 4, 5])
    expect(await request({ title: "SSO", severity })).toMatchObject({ severity });
  for (const severity of [0, 6, -1, 1e9])
    expect((await create({ title: "SSO", severity })).body).toMatchObject(
      invalidRequest("/severity", "out_of_range"),
    );
  for (const severity of [null, "3", 2.5, true, []])
    expect((await create({ title: "SSO", severity })).body).toMatchObject(
      invalidRequest("/severity", "wrong_type"),
    );
});

test("requestedAt is an ISO 8601 date or date-time, up to 5 minutes ahead, which counts as now", async () => {
  const { create, request } = await requestWorld();
  for (const [requestedAt, shown] of [
    ["2025-12-31", "2025-12-31T00:00:00.000Z"],
    ["1969-07-20T20:17", "1969-07-20T20:17:00.000Z"],
    [beginningText, beginningText],
    ["2026-01-02T05:04:05.6789+02:00", beginningText],
    ["2026-01-02T03:04:05.679Z", beginningText],
    ["2026-01-02T03:09:05.678Z", beginningText],
  ])
    expect((await request({ title: "SSO", requestedAt })).requestedAt).toBe(shown);
  for (const requestedAt of ["2026-01-02T03:09:05.679Z", "2026-01-03", "9999-12-31"])
    expect((await create({ title: "SSO", requestedAt })).body).toEqual({
      type: "urn:accountd:problem:invalid_request",
      title: "Invalid request",
      status: 400,
      detail: "Correct the fields or parameters listed in errors.",
      code: "invalid_request",
      errors: [{ pointer: "/requestedAt", code: "in_future", detail: "must be at most 5 minutes ahead" }],
    });
  for (const requestedAt of ["", "yesterday", "2025-02-30"])
    expect((await create({ title: "SSO", requestedAt })).body).toMatchObject(
      invalidRequest("/requestedAt", "invalid_timestamp"),
    );
  for (const requestedAt of [null, 5, {}])
    expect((await create({ title: "SSO", requestedAt })).body).toMatchObject(
      invalidRequest("/requestedAt", "wrong_type"),
    );
});

test("externalId is optional, has at most 255 characters; null and an empty string are stored as null", async () => {
  const { create, request } = await requestWorld();
  for (const empty of [{}, { externalId: null }, { externalId: "" }, { externalId: null }])
    expect((await request({ title: "SSO", ...empty })).externalId).toBeNull();
  for (const externalId of ["a", "A", " a", "é", "e\u0301", "🚀/%+ ", "𝔸".repeat(255)])
    expect((await request({ title: "SSO", externalId })).externalId).toBe(externalId);
  for (const externalId of ["x".repeat(256), 5, true, {}])
    expect((await create({ title: "SSO", externalId })).body.errors).toMatchObject([
      { pointer: "/externalId" },
    ]);
});

test("externalId is unique within the organization, across accounts: 409 external_id_conflict", async () => {
  const { create, request, list } = await requestWorld();
  const created = await request({ title: "SSO", externalId: "JIRA-7" });
  for (const accountId of [1, 2]) {
    const reply = await create({ title: "Other", externalId: "JIRA-7" }, accountId);
    expect(reply.body).toEqual({
      type: "urn:accountd:problem:external_id_conflict",
      title: "External id in use",
      status: 409,
      detail: "Use another externalId, or update the request that has this one.",
      code: "external_id_conflict",
      errors: [
        { pointer: "/externalId", code: "external_id_conflict", detail: "is in use by another request" },
      ],
    });
    expect((await list("", accountId)).body.data).toEqual(accountId === 1 ? [created] : []);
  }
});

test("unknown and read-only members are ignored", async () => {
  const { request } = await requestWorld();
  const ignored = { id: 77, accountId: 2, createdAt: "x", extra: { a: [1] } };
  const created = await request({ title: "SSO", ...ignored, updatedAt: null });
  expect(created).toMatchObject({ id: 1, accountId: 1, resolvedAt: null, createdAt: beginningText });
  expect(Object.keys(created)).toHaveLength(10);
});

test("POST for an account that does not exist, or of another organization, is 404 with the same bytes", async () => {
  const { create, account, call, second } = await requestWorld();
  const theirs = await account({ name: "Theirs" }, { key: second.key });
  const [missing, foreign] = [await create({ title: "SSO" }, 999), await create({ title: "SSO" }, theirs.id)];
  expect([missing.status, missing.body.detail]).toEqual([
    404,
    "There is no account with this id in your organization.",
  ]);
  expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
  const list = await call("GET", "/api/v1/requests", undefined, { key: second.key });
  expect(list.body.data).toEqual([]);
});
