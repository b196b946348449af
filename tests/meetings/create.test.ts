import { expect, test } from "bun:test";
import { invalidRequest } from "../support/problems.ts";
import { beginningText } from "../support/world.ts";
import { meetingWorld } from "./meeting-world.ts";

const times = { startAt: "2026-01-05T10:00:00.000Z", endAt: "2026-01-05T11:00:00.000Z" };
type Violation = { pointer: string; code: string };
test("POST creates a meeting of the account: status 201, its fields in data, its path in Location", async () => {
  const { create, call } = await meetingWorld();
  const reply = await create({ title: "Review", externalId: "cal-7", ...times });
  expect([reply.status, reply.headers.get("location")]).toEqual([201, "/api/v1/meetings/1"]);
  expect(reply.body).toEqual({
    data: {
      id: 1,
      accountId: 1,
      externalId: "cal-7",
      title: "Review",
      startAt: "2026-01-05T10:00:00.000Z",
      endAt: "2026-01-05T11:00:00.000Z",
      createdAt: beginningText,
      updatedAt: beginningText,
    },
  });
  const read = await call("GET", reply.headers.get("location") ?? "");
  expect([read.status, read.text]).toEqual([200, reply.text]);
});

test("title, startAt and endAt are required, and every violation is reported", async () => {
  const { create, list } = await meetingWorld();
  const { errors } = (await create({ externalId: 5 })).body;
  const codes = errors.map(({ pointer, code }: Violation) => `${pointer} ${code}`);
  expect(codes.toSorted()).toEqual([
    "/endAt required",
    "/externalId wrong_type",
    "/startAt required",
    "/title required",
  ]);
  expect((await list()).body.data).toEqual([]);
});

test("title is 1 to 255 characters, not blank, and stored as sent", async () => {
  const { create, meeting } = await meetingWorld();
  for (const title of ["𝔸".repeat(255), "  E\u0301va \"q\" 'x' "])
    expect((await meeting({ title, ...times })).title).toBe(title);
  expect((await create({ title: "", ...times })).body).toMatchObject(invalidRequest("/title", "too_short"));
  expect((await create({ title: " \t\u2003", ...times })).body).toMatchObject(
    invalidRequest("/title", "blank"),
  );
  expect((await create({ title: "𝔸".repeat(256), ...times })).body).toMatchObject(
    invalidRequest("/title", "too_long"),
  );
  for (const title of [null, 5, {}, []])
    expect((await create({ title, ...times })).body).toMatchObject(invalidRequest("/title", "wrong_type"));
});

test("startAt and endAt are ISO 8601 dates or date-times; without an offset they are UTC", async () => {
  const { create, meeting } = await meetingWorld();
  const shown = async (startAt: string, endAt: string) => {
    const created = await meeting({ title: "Review", startAt, endAt });
    return [created.startAt, created.endAt];
  };
  expect(await shown("2026-01-05", "2026-01-06T10:20")).toEqual([
    "2026-01-05T00:00:00.000Z",
    "2026-01-06T10:20:00.000Z",
  ]);
  expect(await shown("2026-01-05T10:00:00+02:00", "2026-01-05T10:00:00.1239-05:30")).toEqual([
    "2026-01-05T08:00:00.000Z",
    "2026-01-05T15:30:00.123Z",
  ]);
  expect(await shown("1969-12-31", "9999-12-31T23:59:59.999Z")).toEqual([
    "1969-12-31T00:00:00.000Z",
    "9999-12-31T23:59:59.999Z",
  ]);
  for (const member of ["startAt", "endAt"]) {
    for (const text of ["", "tomorrow", "2026-02-30", "2026-01-05T25:00:00Z", "2026-W02"])
      expect((await create({ title: "Review", ...times, [member]: text })).body).toMatchObject(
        invalidRequest(`/${member}`, "invalid_timestamp"),
      );
    for (const value of [null, 1767607200000, {}, true])
      expect((await create({ title: "Review", ...times, [member]: value })).body).toMatchObject(
        invalidRequest(`/${member}`, "wrong_type"),
      );
  }
});

test("endAt before startAt is 400; equal times are accepted, also with different UTC offsets", async () => {
  const { create, list } = await meetingWorld();
  const at = (startAt: string, endAt: string) => create({ title: "Review", startAt, endAt });
  expect((await at("2026-01-05T10:00:00.001Z", "2026-01-05T10:00:00.000Z")).body).toEqual({
    type: "urn:accountd:problem:invalid_request",
    title: "Invalid request",
    status: 400,
    detail: "Correct the fields or parameters listed in errors.",
    code: "invalid_request",
    errors: [{ pointer: "/endAt", code: "before_start", detail: "must not be before startAt" }],
  });
  expect((await at("2026-01-05T10:00:00Z", "2026-01-05T11:00:00+02:00")).status).toBe(400);
  expect((await at("2026-01-05T10:00:00Z", "2026-01-05T10:00:00Z")).status).toBe(201);
  expect((await at("2026-01-05T11:00:00+02:00", "2026-01-05T10:00:00+01:00")).status).toBe(201);
  expect((await list()).body.pagination.total).toBe(2);
});

test("externalId is optional, has at most 255 characters; null and an empty string are stored as null", async () => {
  const { create, meeting } = await meetingWorld();
  const body = { title: "Review", ...times };
  for (const empty of [{}, { externalId: null }, { externalId: "" }, { externalId: null }])
    expect((await meeting({ ...body, ...empty })).externalId).toBeNull();
  for (const externalId of ["a", "A", " a", "é", "e\u0301", "🚀/%+ ", "𝔸".repeat(255)])
    expect((await meeting({ ...body, externalId })).externalId).toBe(externalId);
  for (const externalId of ["x".repeat(256), 5, true, {}])
    expect((await create({ ...body, externalId })).body.errors).toMatchObject([{ pointer: "/externalId" }]);
});

test("externalId is unique within the organization, across accounts: 409 external_id_conflict", async () => {
  const { create, meeting, call, account, list, second } = await meetingWorld();
  const body = { title: "Review", externalId: "cal-7", ...times };
  const created = await meeting(body);
  for (const accountId of [1, 2]) {
    const reply = await create({ ...body, title: "Other" }, accountId);
    expect(reply.body).toEqual({
      type: "urn:accountd:problem:external_id_conflict",
      title: "External id in use",
      status: 409,
      detail: "Use another externalId, or update the meeting that has this one.",
      code: "external_id_conflict",
      errors: [
        { pointer: "/externalId", code: "external_id_conflict", detail: "is in use by another meeting" },
      ],
    });
    expect((await list("", accountId)).body.data).toEqual(accountId === 1 ? [created] : []);
  }
  const options = { key: second.key };
  const { id } = await account({ name: "Theirs" }, options);
  expect((await call("POST", `/api/v1/accounts/${id}/meetings`, body, options)).status).toBe(201);
});

test("unknown and read-only members are ignored", async () => {
  const { meeting } = await meetingWorld();
  const ignored = { id: 77, accountId: 2, createdAt: "x", updatedAt: null, extra: { a: [1] } };
  const created = await meeting({ title: "Review", ...times, ...ignored });
  expect(created).toEqual({
    id: 1,
    accountId: 1,
    externalId: null,
    title: "Review",
    ...times,
    createdAt: beginningText,
    updatedAt: beginningText,
  });
});

test("POST for an account that does not exist, or of another organization, is 404 with the same bytes", async () => {
  const { create, account, call, second } = await meetingWorld();
  const theirs = await account({ name: "Theirs" }, { key: second.key });
  const body = { title: "Review", ...times };
  const [missing, foreign] = [await create(body, 999), await create(body, theirs.id)];
  expect([missing.status, missing.body.detail]).toEqual([
    404,
    "There is no account with this id in your organization.",
  ]);
  expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
  const list = `/api/v1/accounts/${theirs.id}/meetings`;
  expect((await call("GET", list, undefined, { key: second.key })).body.data).toEqual([]);
});
