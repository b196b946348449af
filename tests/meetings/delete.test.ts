import { expect, test } from "bun:test";
import { meetingWorld } from "./meeting-world.ts";

const times = { startAt: "2026-01-01T10:00:00.000Z", endAt: "2026-01-01T11:00:00.000Z" };
const missing = {
  type: "urn:accountd:problem:not_found",
  title: "Not found",
  status: 404,
  detail: "There is no meeting with this id in your organization.",
  code: "not_found",
};

test("DELETE is 204 without a body; a second one is 404", async () => {
  const { meeting, remove, get, patch, list } = await meetingWorld();
  const { id } = await meeting({ title: "Review", ...times });
  const kept = await meeting({ title: "Review", ...times });
  const reply = await remove(id);
  expect([reply.status, reply.text, reply.headers.get("content-type")]).toEqual([204, "", null]);
  for (const again of [await remove(id), await get(id), await patch(id, { title: "Other" })])
    expect(again.body).toEqual(missing);
  expect((await list()).body.data).toEqual([kept]);
});

test("GET and DELETE of a meeting that does not exist, or of another organization, are 404", async () => {
  const { get, remove, put, account, call, second } = await meetingWorld();
  const options = { key: second.key };
  const theirs = await account({ name: "Theirs" }, options);
  const { data } = (await put("theirs", { accountId: theirs.id, title: "Review", ...times }, options)).body;
  for (const operation of [get, remove])
    for (const id of [data.id, 0, 999]) expect((await operation(id)).body).toEqual(missing);
  expect((await call("GET", `/api/v1/meetings/${data.id}`, undefined, options)).body.data).toEqual(data);
});

test("the embedded meetings of an account have only id, title, startAt and endAt, and are current", async () => {
  const { meeting, patch, put, remove, embedded } = await meetingWorld();
  const later = { startAt: "2026-01-01T12:00:00.000Z", endAt: "2026-01-01T13:00:00.000Z" };
  await meeting({ title: "Kick-off", externalId: "cal-1", ...times });
  await put("cal-2", { accountId: 1, title: "Review", ...later });
  expect(await embedded()).toEqual([
    { id: 2, title: "Review", ...later },
    { id: 1, title: "Kick-off", ...times },
  ]);
  await patch(1, { title: "First call", endAt: "2026-01-01T10:30:00.000Z" });
  await put("cal-2", { startAt: "2025-12-31T12:00:00.000Z" });
  expect(await embedded()).toEqual([
    { id: 1, title: "First call", startAt: times.startAt, endAt: "2026-01-01T10:30:00.000Z" },
    { id: 2, title: "Review", startAt: "2025-12-31T12:00:00.000Z", endAt: later.endAt },
  ]);
  await put("cal-1", { accountId: 2 });
  expect((await embedded(2)).map(({ id }: { id: number }) => id)).toEqual([1]);
  for (const id of [1, 2]) await remove(id);
  expect([await embedded(1), await embedded(2)]).toEqual([[], []]);
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
