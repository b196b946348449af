import { expect, test } from "bun:test";
import { day, eventWorld } from "./event-world.ts";

const event = { event: "opened", externalId: "acme" };
const hour = 3_600_000;
const year = 365 * day;

async function clockWorld() {
  const here = await eventWorld();
  const raw = async () => {
    const events = await here.rows<{ id: string }>("SELECT message_id AS id FROM events ORDER BY id");
    return events.map(({ id }) => id);
  };
  return { ...here, raw };
}

test("a jump of 40 days for 4 s deletes no events, users or message ids, and expires no pending events", async () => {
  const { account, send, usage, unmatched, outcome, pass, jump, runJobs, raw } = await clockWorld();
  await send([
    { ...event, messageId: "m1", userId: "u1" },
    { ...event, messageId: "m2", externalId: "late" },
    { ...event, messageId: "m3", externalId: "later" },
  ]);
  jump(40 * day);
  await runJobs();
  pass(4_000);
  await runJobs();
  expect(await raw()).toEqual(["m1", "m2", "m3"]);
  expect(await outcome({ ...event, messageId: "m1" })).toBe("duplicate");
  const { id } = await account({ name: "Late", externalId: "late" });
  expect(await usage(id)).toHaveLength(1);
  jump(-40 * day);
  await runJobs();
  expect(await raw()).toEqual(["m1", "m2", "m3"]);
  expect(await unmatched()).toHaveLength(1);
  expect(await outcome({ ...event, messageId: "m1" })).toBe("duplicate");
});

test.each([[1], [250]])(
  "%d events received by a clock a year ahead do not stop retention and expiry",
  async (count) => {
    const { send, unmatched, pass, jump, runJobs, raw } = await clockWorld();
    const batch = (prefix: string, externalId: string) =>
      Array.from({ length: count }, (_, i) => ({ ...event, externalId, messageId: `${prefix}${i}` }));
    // The clock was ahead for more than a day, so that it was trusted.
    pass(year);
    await send(batch("ahead", "acme"));
    await send(batch("pending", "unknown"));
    jump(-year);
    await send([
      { ...event, messageId: "m1" },
      { ...event, messageId: "m2", externalId: "other" },
    ]);
    expect(await unmatched()).toHaveLength(2);
    pass(30 * day);
    await runJobs();
    expect((await unmatched()).map(({ externalId }: { externalId: string }) => externalId)).toEqual([
      "unknown",
    ]);
    pass(5 * day + hour);
    await runJobs();
    expect(await raw()).toHaveLength(2 * count);
    expect(await raw()).not.toContain("m1");
    pass(year);
    await runJobs();
    expect(await raw()).toEqual([]);
    expect(await unmatched()).toEqual([]);
  },
);
