import { expect, test } from "bun:test";
import { beginningText } from "../support/world.ts";
import { meetingWorld } from "./meeting-world.ts";

const laterText = "2026-01-02T03:04:06.678Z";
const stored = {
  title: "Review",
  externalId: "cal-7",
  startAt: "2026-01-05T10:00:00.000Z",
  endAt: "2026-01-05T11:00:00.000Z",
};

/** A world with one meeting, one second after its creation, and a function that patches it. */
async function worldWithMeeting() {
  const here = await meetingWorld();
  const before = await here.meeting(stored);
  here.pass(1000);
  return { ...here, before, change: (changes: unknown) => here.patch(before.id, changes) };
}

test("PATCH returns 200 and the meeting; updatedAt reflects the change", async () => {
  const { change, get, before } = await worldWithMeeting();
  const times = { startAt: "2026-02-01T09:00:00.000Z", endAt: "2026-02-01T09:30:00.000Z" };
  const reply = await change({ title: "Kick-off", externalId: "cal-8", ...times });
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    data: {
      id: 1,
      accountId: 1,
      externalId: "cal-8",
      title: "Kick-off",
      startAt: "2026-02-01T09:00:00.000Z",
      endAt: "2026-02-01T09:30:00.000Z",
      createdAt: beginningText,
      updatedAt: laterText,
    },
  });
  expect((await get(before.id)).text).toBe(reply.text);
});

/** Each member absent, with a value, and null, with the status of a null. */
const states: { member: string; value: string; null: number }[] = [
  { member: "title", value: "Other", null: 400 },
  { member: "externalId", value: "other", null: 200 },
  { member: "startAt", value: "2026-01-05T09:30:00.000Z", null: 400 },
  { member: "endAt", value: "2026-01-05T12:00:00.000Z", null: 400 },
];
for (const { member, value, null: status } of states) {
  const other = member === "title" ? { externalId: "third" } : { title: "Third" };

  test(`PATCH ${member}: absent leaves it unchanged`, async () => {
    const { change, before } = await worldWithMeeting();
    expect((await change(other)).body).toEqual({ data: { ...before, ...other, updatedAt: laterText } });
  });

  test(`PATCH ${member}: a value sets it`, async () => {
    const { change, get, before } = await worldWithMeeting();
    const reply = await change({ [member]: value });
    expect(reply.body).toEqual({ data: { ...before, [member]: value, updatedAt: laterText } });
    expect((await get(before.id)).text).toBe(reply.text);
  });

  test(`PATCH ${member}: null is ${status}`, async () => {
    const { change, get, before } = await worldWithMeeting();
    const reply = await change({ [member]: null });
    expect(reply.status).toBe(status);
    if (status === 400)
      expect(reply.body.errors).toMatchObject([{ pointer: `/${member}`, code: "wrong_type" }]);
    const changed = status === 200 ? { [member]: null, updatedAt: laterText } : {};
    expect((await get(before.id)).body).toEqual({ data: { ...before, ...changed } });
  });
}

test("PATCH externalId: an empty string clears it", async () => {
  const { change } = await worldWithMeeting();
  expect((await change({ externalId: "" })).body.data.externalId).toBeNull();
});

test("PATCH: endAt must not be before startAt; the error points to the member that was sent, and to endAt for both", async () => {
  const { change, get, before } = await worldWithMeeting();
  const startAt = { pointer: "/startAt", code: "after_end", detail: "must not be after endAt" };
  const endAt = { pointer: "/endAt", code: "before_start", detail: "must not be before startAt" };
  for (const [body, error] of [
    [{ startAt: "2026-01-05T11:00:00.001Z" }, startAt],
    [{ title: "Changed", startAt: "2026-01-06" }, startAt],
    [{ endAt: "2026-01-05T09:59:59.999Z" }, endAt],
    [{ startAt: "2026-01-06", endAt: "2026-01-05" }, endAt],
    [{ startAt: "2026-01-06", endAt: stored.endAt }, endAt],
  ] as const) {
    const reply = await change(body);
    expect(reply.body).toMatchObject({ status: 400, code: "invalid_request" });
    expect(reply.body.errors).toEqual([error]);
  }
  expect((await get(before.id)).body.data).toEqual(before);
  expect((await change({ startAt: before.endAt })).status).toBe(200);
  expect((await change({ startAt: "2027-01-01", endAt: "2027-01-01" })).status).toBe(200);
  expect((await change({ startAt: "2020-01-01" })).status).toBe(200);
});

test("PATCH with a value that POST rejects is 400 and changes nothing", async () => {
  const { change, get, before } = await worldWithMeeting();
  for (const [member, values] of Object.entries({
    title: ["", " ", "x".repeat(256), 5, {}],
    startAt: ["", "2026-02-30", 5, {}],
    endAt: ["", "later", 5, {}],
    externalId: ["x".repeat(256), 5, {}],
  }))
    for (const value of values)
      expect((await change({ ...stored, title: "New", [member]: value })).body).toMatchObject({
        code: "invalid_request",
        errors: [{ pointer: `/${member}` }],
      });
  expect((await get(before.id)).body.data).toEqual(before);
});

test("PATCH externalId equal to that of another meeting of the organization is 409, and changes nothing", async () => {
  const { change, meeting, get, before } = await worldWithMeeting();
  await meeting({ ...stored, externalId: "other" }, 2);
  const reply = await change({ title: "Changed", externalId: "other" });
  expect([reply.status, reply.body.code]).toEqual([409, "external_id_conflict"]);
  expect((await get(before.id)).body.data).toEqual(before);
});

test("PATCH without a valid member is 400 no_valid_fields; read-only members do not count", async () => {
  const { change, get, before } = await worldWithMeeting();
  for (const body of [{}, { unknown: 1 }, { id: 2, accountId: 2, createdAt: null, updatedAt: laterText }]) {
    const reply = await change(body);
    expect([reply.status, reply.body.code]).toEqual([400, "no_valid_fields"]);
  }
  expect((await get(before.id)).body.data).toEqual(before);
});

test("PATCH ignores unknown and read-only members next to a valid one", async () => {
  const { change, before } = await worldWithMeeting();
  const ignored = { id: 2, accountId: 2, createdAt: laterText, updatedAt: "x", extra: [] };
  const { body } = await change({ title: "Other", ...ignored });
  expect(body).toEqual({ data: { ...before, title: "Other", updatedAt: laterText } });
});

test("a PATCH without a change leaves updatedAt; the same time with another UTC offset is no change", async () => {
  const { change, before } = await worldWithMeeting();
  const sameTimes = { startAt: "2026-01-05T12:00:00+02:00", endAt: "2026-01-05T11:00:00" };
  for (const body of [stored, { title: stored.title }, { externalId: "cal-7" }, sameTimes])
    expect((await change(body)).body.data).toEqual(before);
});

test("a PATCH with a change strictly increases updatedAt, also within a millisecond", async () => {
  const { change } = await worldWithMeeting();
  const times: string[] = [];
  for (const title of ["a", "b", "c", "d"]) times.push((await change({ title })).body.data.updatedAt);
  expect(times).toEqual([678, 679, 680, 681].map((ms) => `2026-01-02T03:04:06.${ms}Z`));
});

test("PATCH of a meeting that does not exist, or of another organization, is 404 with the same bytes", async () => {
  const { patch, call, account, put, second } = await worldWithMeeting();
  const options = { key: second.key };
  const theirs = await account({ name: "Theirs" }, options);
  const { data } = (await put("theirs", { accountId: theirs.id, ...stored }, options)).body;
  const [missing, foreign] = [await patch(999, { title: "Mine" }), await patch(data.id, { title: "Mine" })];
  expect([missing.status, missing.body.detail]).toEqual([
    404,
    "There is no meeting with this id in your organization.",
  ]);
  expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
  expect((await call("GET", `/api/v1/meetings/${data.id}`, undefined, options)).body.data).toEqual(data);
});
