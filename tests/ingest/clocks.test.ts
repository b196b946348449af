import { expect, test } from "bun:test";
import { day, emptyReceipt, minute } from "../events/event-world.ts";
import { traitsWorld } from "./traits-world.ts";

const track = { type: "track", event: "clicked", userId: "u1", context: { groupId: "acme" } };

/** The errors of the sender's clock, in milliseconds. */
const skews = [10 * minute, -10 * minute, 400 * day, -40 * day, -3 * day];

for (const skew of skews)
  for (const path of ["/v1/batch", "/api/v1/events"])
    test(`an event of a clock that is wrong by ${skew / minute} minutes has its true time by sentAt (${path})`, async () => {
      const here = await traitsWorld();
      const batch = [0, -day].map((age, i) => ({
        ...track,
        messageId: `${i}`,
        timestamp: here.at(skew + age),
      }));
      const { data } = (await here.call("POST", path, { batch, sentAt: here.at(skew) })).body;
      expect(data).toMatchObject({ accepted: 2, items: [] });
      expect(await here.usage()).toEqual([
        ["2026-01-01", "clicked", 1, 1],
        ["2026-01-02", "clicked", 1, 1],
      ]);
    });

test("the sentAt of a call has priority over that of the body, also on the path of one call", async () => {
  const here = await traitsWorld();
  const late = { ...track, timestamp: here.at(-3 * day), sentAt: here.at(-3 * day) };
  await here.batch({ ...late, messageId: "1" });
  await here.call("POST", "/v1/track", { ...late, messageId: "2" });
  const body = { batch: [{ ...late, messageId: "3" }], sentAt: here.at(-9 * day) };
  await here.call("POST", "/v1/batch", body);
  expect(await here.usage()).toEqual([["2026-01-02", "clicked", 3, 1]]);
});

test("a sentAt within a minute of the receipt, none, and an invalid one leave the time as it is sent", async () => {
  const here = await traitsWorld();
  for (const [i, sentAt] of [here.at(59_000), here.at(-59_000), undefined, null, "yesterday", 5].entries()) {
    const call = { ...track, messageId: `${i}`, timestamp: here.at(-3 * day) };
    expect((await here.call("POST", "/v1/batch", { batch: [call], sentAt })).body.data.accepted).toBe(1);
  }
  expect(await here.usage()).toEqual([["2025-12-30", "clicked", 6, 1]]);
  const old = { ...track, messageId: "old", timestamp: here.at(-40 * day) };
  expect((await here.batch(old)).items).toMatchObject([{ code: "too_old" }]);
});

test("a time after the receipt counts as the receipt; /api/v1/events rejects it in other forms", async () => {
  const here = await traitsWorld();
  const timestamp = here.at(10 * minute);
  expect(await here.batch({ ...track, messageId: "1", timestamp })).toMatchObject({ accepted: 1 });
  expect(await here.usage()).toEqual([["2026-01-02", "clicked", 1, 1]]);
  expect(await here.outcome({ event: "clicked", externalId: "acme", timestamp })).toBe("in_future");
});

test("traits have the corrected time", async () => {
  const here = await traitsWorld();
  const call = (plan: string, age: number) => ({
    ...{ type: "group", groupId: "acme", traits: { plan } },
    timestamp: here.at(age),
  });
  await here.batch(call("newest", -day));
  const body = { batch: [call("two days ago", 8 * day)], sentAt: here.at(10 * day) };
  const { data } = (await here.call("POST", "/v1/batch", body)).body;
  expect(data).toEqual({
    ...emptyReceipt,
    ignored: 1,
    traits: 0,
    items: [{ index: 0, code: "superseded", detail: expect.any(String) }],
  });
  expect(await here.attributesOf("acme")).toEqual({ plan: "newest" });
});
