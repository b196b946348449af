import { expect, test } from "bun:test";
import { Random } from "../support/random.ts";
import { seedsUpTo } from "../support/seeds.ts";
import { day, healthWorld } from "./health-world.ts";

/** An organization with a meeting and a request, whose account 1 has another known activity, and random rows. */
async function randomWorld(random: Random) {
  const here = await healthWorld();
  const { textOf, now } = here;
  for (const name of ["Acme", "Globex"]) await here.account({ name });
  await here.meeting(now() - day, 2);
  await here.request({}, 2);
  const ago = (days: number) => now() - random.below(days * day);
  if (random.below(2) === 0) await here.change({ contactActivityAt: textOf(ago(40)) });
  else await here.events(ago(30), 1 + random.below(9));
  const meetings: number[] = [];
  for (let i = random.below(8); i > 0; i -= 1) {
    const { id } = await here.meeting(ago(250) + 20 * day);
    meetings.push(id);
  }
  const requests: number[] = [];
  for (let i = random.below(6); i > 0; i -= 1) {
    const requestedAt = textOf(ago(60));
    const status = random.of(["Open", "Planned", "Done"]);
    const { id } = await here.request({ requestedAt, status, severity: 1 + random.below(5) });
    if (status !== "Done") requests.push(id);
  }
  const score = async (): Promise<number> => (await here.health()).score ?? Number.NaN;
  return { ...here, ago, meetings, requests, score };
}

test.each(seedsUpTo(40))(
  "a meeting never lowers a score, its deletion never raises it, and a request that is resolved never lowers it (seed %d)",
  async (seed) => {
    const random = new Random(seed);
    const { call, meeting, changeRequest, ago, meetings, requests, score } = await randomWorld(random);
    let before = await score();
    expect(before).toBeNumber();
    for (const id of meetings) {
      await call("DELETE", `/api/v1/meetings/${id}`);
      const after = await score();
      expect(after).toBeLessThanOrEqual(before);
      before = after;
    }
    for (let count = 0; count < 7; count += 1) {
      await meeting(ago(200) + 20 * day);
      const after = await score();
      expect(after).toBeGreaterThanOrEqual(before);
      before = after;
    }
    for (const id of requests) {
      await changeRequest(id, { status: "Done" });
      const after = await score();
      expect(after).toBeGreaterThanOrEqual(before);
      before = after;
    }
  },
);
