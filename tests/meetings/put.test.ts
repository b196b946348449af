import { expect, test } from "bun:test";
import { beginningText } from "../support/world.ts";
import { meetingWorld } from "./meeting-world.ts";

const laterText = "2026-01-02T03:04:06.678Z";
const times = { startAt: "2026-01-05T10:00:00.000Z", endAt: "2026-01-05T11:00:00.000Z" };

test("PUT creates the meeting with this externalId: status 201, its path in Location", async () => {
  const { put, call } = await meetingWorld();
  const reply = await put("cal-7", { accountId: 2, title: "Review", ...times });
  expect([reply.status, reply.headers.get("location")]).toEqual([201, "/api/v1/meetings/1"]);
  expect(reply.body).toEqual({
    data: {
      id: 1,
      accountId: 2,
      externalId: "cal-7",
      title: "Review",
      startAt: "2026-01-05T10:00:00.000Z",
      endAt: "2026-01-05T11:00:00.000Z",
      createdAt: beginningText,
      updatedAt: beginningText,
    },
  });
  expect((await call("GET", "/api/v1/meetings/1")).text).toBe(reply.text);
});

test("PUT updates the meeting with this externalId: status 200, also if it was created by POST", async () => {
  const { put, meeting, get, pass, list } = await meetingWorld();
  const before = await meeting({ title: "Review", externalId: "cal-7", ...times });
  pass(1000);
  const moved = { startAt: "2026-01-06T10:00:00.000Z", endAt: "2026-01-06T11:00:00.000Z" };
  const reply = await put("cal-7", { accountId: 1, title: "Moved", ...moved });
  expect([reply.status, reply.headers.get("location")]).toEqual([200, null]);
  expect(reply.body).toEqual({ data: { ...before, title: "Moved", ...moved, updatedAt: laterText } });
  expect((await get(before.id)).text).toBe(reply.text);
  expect((await list()).body.pagination.total).toBe(1);
});

test("PUT leaves absent members unchanged, including the account", async () => {
  const { put, meeting, pass } = await meetingWorld();
  let before = await meeting({ title: "Review", externalId: "cal-7", ...times });
  for (const change of [
    { title: "Other" },
    { startAt: "2026-01-05T10:30:00.000Z" },
    { endAt: "2026-01-05T10:45:00.000Z" },
  ]) {
    pass(1000);
    const after = (await put("cal-7", change)).body.data;
    expect(after).toEqual({ ...before, ...change, updatedAt: after.updatedAt });
    expect(after.updatedAt > before.updatedAt).toBe(true);
    before = after;
  }
});

test("a PUT without a change leaves updatedAt; a PUT with a change increases it", async () => {
  const { put, pass } = await meetingWorld();
  const body = { accountId: 1, title: "Review", ...times };
  const before = (await put("cal-7", body)).body.data;
  const after = { ...before, title: "Other", updatedAt: "2026-01-02T03:04:05.679Z" };
  expect((await put("cal-7", { ...body, title: "Other" })).body.data).toEqual(after);
  pass(1000);
  for (const same of [{ ...body, title: "Other" }, { accountExternalId: "acme" }, {}]) {
    const reply = await put("cal-7", same);
    expect([reply.status, reply.body.data]).toEqual([200, after]);
  }
});

test("PUT: endAt must not be before startAt; the error points to the member that was sent, and to endAt for both", async () => {
  const { put, get } = await meetingWorld();
  const before = (await put("cal-7", { accountId: 1, title: "Review", ...times })).body.data;
  const startAt = { pointer: "/startAt", code: "after_end", detail: "must not be after endAt" };
  const endAt = { pointer: "/endAt", code: "before_start", detail: "must not be before startAt" };
  const reversed = { startAt: times.endAt, endAt: times.startAt };
  for (const [externalId, body, error] of [
    ["new", { accountId: 1, title: "Review", ...reversed }, endAt],
    ["cal-7", { startAt: "2026-01-05T11:00:00.001Z" }, startAt],
    ["cal-7", { endAt: "2026-01-05T09:59:59.999Z", accountId: 2 }, endAt],
    ["cal-7", reversed, endAt],
  ] as const) {
    const reply = await put(externalId, body);
    expect(reply.body).toMatchObject({ status: 400, code: "invalid_request" });
    expect(reply.body.errors).toEqual([error]);
  }
  expect((await get(before.id)).body.data).toEqual(before);
  expect((await get(2)).status).toBe(404);
});

test("PUT of a new meeting requires a title, both times and an account", async () => {
  const { put, list } = await meetingWorld();
  const required = async (body: object) => {
    const reply = await put("new", body);
    expect([reply.status, reply.body.code]).toEqual([400, "invalid_request"]);
    return reply.body.errors.map((error: { pointer: string; code: string }) => {
      expect(error.code).toBe("required");
      return error.pointer;
    });
  };
  expect(await required({})).toEqual(["/accountId", "/title", "/startAt", "/endAt"]);
  expect(await required({ title: "Review", ...times })).toEqual(["/accountId"]);
  expect(await required({ accountExternalId: "acme", ...times })).toEqual(["/title"]);
  expect(await required({ accountId: 1, title: "Review", startAt: times.startAt })).toEqual(["/endAt"]);
  expect((await list()).body.data).toEqual([]);
});

test("accountId or accountExternalId is the account; another account moves the meeting there", async () => {
  const { put, list, pass } = await meetingWorld();
  const created = await put("cal-7", { accountExternalId: "acme", title: "Review", ...times });
  expect([created.status, created.body.data.accountId]).toEqual([201, 1]);
  pass(1000);
  const after = { ...created.body.data, accountId: 2, updatedAt: laterText };
  const moved = await put("cal-7", { accountExternalId: "globex" });
  expect([moved.status, moved.body.data]).toEqual([200, after]);
  expect([(await list("", 1)).body.data, (await list("", 2)).body.data]).toEqual([[], [after]]);
  expect((await put("cal-7", { accountId: 1 })).body.data.accountId).toBe(1);
  expect((await put("cal-7", { accountId: 2, accountExternalId: "acme" })).body.data.accountId).toBe(2);
});

test("PUT with an account that does not exist, or of another organization, is 404, and changes nothing", async () => {
  const { put, meeting, get, account, second } = await meetingWorld();
  const before = await meeting({ title: "Review", externalId: "cal-7", ...times });
  const theirs = await account({ name: "Theirs", externalId: "theirs" }, { key: second.key });
  for (const externalId of ["cal-7", "new"])
    for (const reference of [
      { accountId: 999 },
      { accountExternalId: "nobody" },
      { accountId: theirs.id },
      { accountExternalId: "theirs" },
    ]) {
      const reply = await put(externalId, { ...reference, title: "Changed", ...times });
      expect([reply.status, reply.body.detail]).toEqual([
        404,
        `There is no account with this ${"accountId" in reference ? "id" : "externalId"} in your organization.`,
      ]);
    }
  expect((await get(before.id)).body.data).toEqual(before);
});

test("PUT rejects the same values as POST, and invalid account references", async () => {
  const { put, list } = await meetingWorld();
  for (const [member, values] of Object.entries({
    title: [null, "", " ", "x".repeat(256), 5],
    startAt: [null, "", "2026-02-30", 5],
    endAt: [null, "", "2026-02-30", 5],
    accountId: [null, "1", -1, 1.5, 2 ** 53],
    accountExternalId: [null, "", "x".repeat(256), 5],
  }))
    for (const value of values)
      expect(
        (await put("new", { accountId: 1, title: "Review", ...times, [member]: value })).body,
      ).toMatchObject({
        status: 400,
        errors: [{ pointer: `/${member}` }],
      });
  expect((await list()).body.data).toEqual([]);
});

test("PUT ignores unknown and read-only members, including an externalId in the body", async () => {
  const { put } = await meetingWorld();
  const ignored = { id: 9, externalId: "other", createdAt: laterText, updatedAt: laterText, extra: {} };
  const { data } = (await put("cal-7", { accountId: 1, title: "Review", ...times, ...ignored })).body;
  expect(data).toMatchObject({
    id: 1,
    externalId: "cal-7",
    createdAt: beginningText,
    updatedAt: beginningText,
  });
});
