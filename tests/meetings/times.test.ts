import { expect, test } from "bun:test";
import { meetingWorld } from "../resources/sub-resource-world.ts";

const times = { startAt: "2026-01-05T10:00:00.000Z", endAt: "2026-01-05T11:00:00.000Z" };

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

test("PATCH: endAt must not be before startAt; the error points to the member that was sent, and to endAt for both", async () => {
  const { meeting, patch, get } = await meetingWorld();
  const before = await meeting({ title: "Review", ...times });
  const change = (body: object) => patch(before.id, body);
  const startAt = { pointer: "/startAt", code: "after_end", detail: "must not be after endAt" };
  const endAt = { pointer: "/endAt", code: "before_start", detail: "must not be before startAt" };
  for (const [body, error] of [
    [{ startAt: "2026-01-05T11:00:00.001Z" }, startAt],
    [{ title: "Changed", startAt: "2026-01-06" }, startAt],
    [{ endAt: "2026-01-05T09:59:59.999Z" }, endAt],
    [{ startAt: "2026-01-06", endAt: "2026-01-05" }, endAt],
    [{ startAt: "2026-01-06", endAt: times.endAt }, endAt],
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

test("a PATCH with the same time and another UTC offset is no change", async () => {
  const { meeting, patch, pass } = await meetingWorld();
  const before = await meeting({ title: "Review", ...times });
  pass(1000);
  const same = { startAt: "2026-01-05T12:00:00+02:00", endAt: "2026-01-05T11:00:00" };
  expect((await patch(before.id, same)).body.data).toEqual(before);
});

test("a future meeting is in the account's list, and is embedded from its startAt on", async () => {
  const { meeting, pass, list, embedded } = await meetingWorld();
  const soon = await meeting({
    title: "Soon",
    startAt: "2026-01-02T03:04:05.679Z",
    endAt: "2026-01-02T04:00:00Z",
  });
  expect([await embedded(), (await list()).body.data]).toEqual([[], [soon]]);
  pass(1);
  expect(await embedded()).toEqual([
    { id: 1, title: "Soon", startAt: soon.startAt, endAt: "2026-01-02T04:00:00.000Z" },
  ]);
});
