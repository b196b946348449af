import { expect, test } from "bun:test";
import { day, emptyReceipt, eventWorld } from "./event-world.ts";

const event = { event: "opened", externalId: "acme", messageId: "m1" };
const pending = { ...event, externalId: "unknown" };
const today = "2026-01-02";

test("a second copy of an event is a duplicate, not an error, and is not counted", async () => {
  const { send, usage } = await eventWorld();
  expect(await send([event])).toEqual({ ...emptyReceipt, accepted: 1 });
  const items = [{ index: 0, code: "duplicate", detail: expect.any(String) }];
  expect(await send([event])).toEqual({ ...emptyReceipt, duplicates: 1, items });
  expect(await send([{ event: "closed", accountId: 2, messageId: "m1", userId: "u" }])).toMatchObject({
    duplicates: 1,
  });
  expect(await usage(1)).toEqual([[today, "opened", 1, 0]]);
  expect(await usage(2)).toEqual([]);
});

test("of two copies within one request the second is the duplicate", async () => {
  const { send, usage } = await eventWorld();
  const receipt = await send([event, pending, event, { ...event, messageId: "m2" }]);
  expect(receipt).toMatchObject({ accepted: 2, duplicates: 2, items: [{ index: 1 }, { index: 2 }] });
  expect(await usage()).toEqual([[today, "opened", 2, 0]]);
});

test("an event without messageId is accepted every time, and counted as undeduplicated", async () => {
  const { send, usage } = await eventWorld();
  const events = [undefined, null, ""].map((messageId) => ({ ...event, messageId }));
  for (let time = 1; time <= 2; time += 1)
    expect(await send(events)).toEqual({ ...emptyReceipt, accepted: 3, undeduplicated: 3 });
  const receipt = await send([event, { ...pending, messageId: null }, event, { ...event, event: "" }]);
  const codes = ["parked", "duplicate", "too_short"];
  expect(receipt).toEqual({
    ...{ ...emptyReceipt, accepted: 1, parked: 1, duplicates: 1, rejected: 1, undeduplicated: 1 },
    items: codes.map((code, i) => ({ index: i + 1, code, detail: expect.any(String) })),
  });
  expect(await usage()).toEqual([[today, "opened", 7, 0]]);
});

test("messageId is compared byte for byte", async () => {
  const { send } = await eventWorld();
  const ids = ["m", "M", " m", "m ", "é", "e\u0301", "1", "1.0", "null"];
  expect((await send(ids.map((messageId) => ({ ...event, messageId })))).accepted).toBe(ids.length);
});

test.each([[true], [false]])(
  "a second copy is a duplicate for 35 days, and then a new event (with jobs: %j)",
  async (withJobs) => {
    const { outcome, pass, runJobs, usage } = await eventWorld();
    expect(await outcome(event)).toBe("accepted");
    pass(35 * day - 1);
    if (withJobs) await runJobs();
    expect(await outcome(event)).toBe("duplicate");
    pass(1);
    if (withJobs) await runJobs();
    expect(await outcome(event)).toBe("accepted");
    expect(await outcome(event)).toBe("duplicate");
    pass(35 * day - 1);
    expect(await outcome(event)).toBe("duplicate");
    expect(await usage()).toEqual([
      [today, "opened", 1, 0],
      ["2026-02-06", "opened", 1, 0],
    ]);
  },
);

test("a copy of a pending event is a duplicate, also after it was attached or has expired", async () => {
  const { account, outcome, pass, runJobs, unmatched } = await eventWorld();
  const other = { ...pending, externalId: "other", messageId: "m2" };
  expect([await outcome(pending), await outcome(other)]).toEqual(["parked", "parked"]);
  expect([await outcome(pending), await outcome(other)]).toEqual(["duplicate", "duplicate"]);
  expect(await unmatched()).toMatchObject([{ count: 1 }, { count: 1 }]);
  await account({ name: "Known now", externalId: "unknown" });
  expect(await outcome(pending)).toBe("duplicate");
  pass(30 * day);
  expect(await outcome(other)).toBe("duplicate");
  await runJobs();
  pass(5 * day - 1);
  await runJobs();
  expect([await outcome(pending), await outcome(other)]).toEqual(["duplicate", "duplicate"]);
  pass(1);
  expect([await outcome(pending), await outcome(other)]).toEqual(["accepted", "parked"]);
});

test.each([
  ["the same id", "unknown"],
  ["another id", "other"],
])(
  "a messageId that is pending again after 35 days, with %s, is counted once, also before the jobs run",
  async (_which, externalId) => {
    const { outcome, pass, unmatched, at } = await eventWorld();
    await outcome(pending);
    pass(35 * day);
    expect(await outcome({ ...pending, externalId })).toBe("parked");
    expect(await unmatched()).toEqual([{ externalId, count: 1, firstAt: at(0), lastAt: at(0) }]);
  },
);

test("a messageId that is pending again after 35 days is counted next to another event of its externalId", async () => {
  const { send, pass, unmatched, at } = await eventWorld();
  await send([pending]);
  pass(35 * day);
  expect((await send([{ ...pending, messageId: "m2" }, pending])).parked).toBe(2);
  expect(await unmatched()).toEqual([{ externalId: "unknown", count: 2, firstAt: at(0), lastAt: at(0) }]);
});

test.each([[false], [true]])(
  "an event of a deleted account is no duplicate when it is sent again (the account was created again: %j)",
  async (isRecreated) => {
    const { account, call, send, usage, runJobs, unmatched } = await eventWorld();
    const events = ["m1", "m2"].map((messageId) => ({ ...event, messageId }));
    await send(events);
    await call("DELETE", "/api/v1/accounts/external/acme");
    const id = isRecreated ? (await account({ name: "New", externalId: "acme" })).id : undefined;
    expect(await send(events)).toMatchObject({ [isRecreated ? "accepted" : "parked"]: 2, duplicates: 0 });
    expect(await send(events)).toMatchObject({ accepted: 0, parked: 0, duplicates: 2 });
    await runJobs();
    expect(await send(events)).toMatchObject({ duplicates: 2 });
    if (isRecreated) expect(await usage(id)).toEqual([[today, "opened", 2, 0]]);
    else expect(await unmatched()).toMatchObject([{ externalId: "acme", count: 2 }]);
  },
);
