import { expect, test } from "bun:test";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { type Body, beginning } from "../support/world.ts";
import { type Change, changeWorld, day } from "./change-world.ts";

const account = "/api/v1/accounts/1";

/** A change world with account 1, whose score depends only on its contact activity. */
async function scoredWorld() {
  const here = await changeWorld();
  await here.send("POST", "/api/v1/accounts", { name: "Acme", externalId: "acme" });
  return {
    ...here,
    patch: (body: Body) => here.send("PATCH", account, body),
    /** Runs the jobs and returns the changes that they record. */
    async recompute(): Promise<Change[]> {
      return here.recordedBy(() => runDueJobs(here));
    },
  };
}

const activeNow = { contactActivityAt: new Date(beginning).toISOString() };
const healthChange = {
  type: "account.health_changed",
  resourceId: 1,
  accountId: 1,
  actor: { type: "job" },
  requestId: null,
};
const none = { tier: null, score: null };
const healthy = { tier: "healthy", score: 100 };

test("a new tier is one change with tier and score, also from null and to null", async () => {
  const { patch, recompute, nowText } = await scoredWorld();
  expect(await recompute()).toEqual([]);
  await patch(activeNow);
  expect(await recompute()).toEqual([
    { ...healthChange, sequence: 3, time: nowText(), before: none, after: healthy },
  ]);
  expect(await recompute()).toEqual([]);
  await patch({ status: "churned" });
  expect(await recompute()).toEqual([
    { ...healthChange, sequence: 5, time: nowText(), before: healthy, after: none },
  ]);
});

test("a tier that changes with time is recorded with both scores; a score that changes within its tier is not recorded", async () => {
  const { patch, recompute, pass, nowText } = await scoredWorld();
  await patch(activeNow);
  await recompute();
  const steps: [days: number, before: Body, after: Body][] = [
    // After 3 days the score is 80, which is also healthy.
    [3, healthy, healthy],
    [7, { tier: "healthy", score: 80 }, { tier: "attention", score: 60 }],
    [14, { tier: "attention", score: 60 }, { tier: "at_risk", score: 40 }],
    [30, { tier: "at_risk", score: 40 }, { tier: "critical", score: 20 }],
  ];
  let [passed, sequence] = [0, 3];
  for (const [days, before, after] of steps) {
    pass(days * day - 1 - passed);
    expect(await recompute()).toEqual([]);
    pass(1);
    passed = days * day;
    if (before.tier !== after.tier) sequence += 1;
    expect(await recompute()).toEqual(
      before.tier === after.tier ? [] : [{ ...healthChange, sequence, time: nowText(), before, after }],
    );
  }
});

test.each(["/api/v1/health", "/api/v1/health/summary"])(
  "the actor of a score that is recomputed for GET %s is the job, not the key",
  async (path) => {
    const { patch, send, recordedBy, nowText } = await scoredWorld();
    await patch(activeNow);
    expect(await recordedBy(() => send("GET", path))).toEqual([
      { ...healthChange, sequence: 3, time: nowText(), before: none, after: healthy },
    ]);
  },
);

test("the filters resource=account and action=health_changed return changes of tiers", async () => {
  const { patch, recompute, feed } = await scoredWorld();
  await patch(activeNow);
  await recompute();
  const sequences = async (query: string) => (await feed(query)).data.map(({ sequence }: Change) => sequence);
  expect(await sequences("?action=health_changed")).toEqual([3]);
  expect(await sequences("?resource=account&action=health_changed")).toEqual([3]);
  expect(await sequences("?resource=account")).toEqual([1, 2, 3]);
  expect(await sequences("?action=updated")).toEqual([2]);
});
