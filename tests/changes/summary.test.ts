import { expect, test } from "bun:test";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { healthTiers } from "../../src/shared/fields/tiers.ts";
import { type Body, beginning } from "../support/world.ts";
import { type Change, changeWorld, day, hour } from "./change-world.ts";

const path = "/api/v1/changes/summary";
const at = (time: number) => new Date(beginning + time).toISOString();

const tiers = [...healthTiers, null];

/** The summary of changes that were read from the feed, added up in the plainest way. */
function summaryOf(changes: readonly Change[]) {
  const counts = new Map<string, number>();
  const moves = changes.filter(({ type }) => type === "account.health_changed");
  const tierMoves = tiers.flatMap((from) =>
    tiers.map((to) => {
      const found = moves.filter(({ before, after }) => before?.tier === from && after?.tier === to);
      return { from, to, count: found.length, firstSequence: found[0]?.sequence };
    }),
  );
  for (const { type } of changes) counts.set(type, (counts.get(type) ?? 0) + 1);
  return {
    counts: [...counts].sort().map(([type, count]) => ({ type, count })),
    tierMoves: tierMoves.filter(({ count }) => count > 0),
    firstSequence: changes[0]?.sequence ?? null,
    lastSequence: changes.at(-1)?.sequence ?? null,
  };
}

/** Changes of every type on several days: accounts whose scores fall with time, and one that recovers. */
async function busyWorld() {
  const here = await changeWorld();
  for (const name of ["Acme", "Globex", "Initech"])
    await here.send("POST", "/api/v1/accounts", { name, contactActivityAt: at(0), contactName: "Ada" });
  await here.send("POST", "/api/v1/accounts/1/requests", { title: "SSO" });
  await here.send("POST", "/api/v1/accounts/2/meetings", {
    title: "Kickoff",
    startAt: "2026-01-01",
    endAt: "2026-01-01",
  });
  await runDueJobs(here);
  for (let passed = 0; passed < 35; passed += 5) {
    here.pass(5 * day);
    await here.send("PATCH", "/api/v1/requests/1", { severity: 1 + (passed % 4) });
    await runDueJobs(here);
  }
  await here.send("PATCH", "/api/v1/accounts/2", { contactActivityAt: new Date(here.now()).toISOString() });
  await here.send("DELETE", "/api/v1/contacts/1");
  await runDueJobs(here);
  await here.send("DELETE", "/api/v1/accounts/3");
  const read = async (query: string) => {
    const reply = await here.call("GET", `${path}?${query}`);
    if (reply.status !== 200) throw new Error(reply.text);
    return reply.body.data;
  };
  return { ...here, read };
}

test("GET counts the changes of a range of times by type, and changes of tiers by both tiers, as the feed has them", async () => {
  const here = await busyWorld();
  const all = await here.changes();
  const times = [...new Set(all.map(({ time }) => Date.parse(time)))];
  expect(times.length).toBeGreaterThan(5);
  const { counts, tierMoves } = await here.read(`from=${at(0)}`);
  expect(counts.map(({ type }: Body) => type)).toContain("account.deleted");
  expect(tierMoves).toContainEqual({
    from: null,
    to: "healthy",
    count: 1,
    firstSequence: expect.any(Number),
  });
  expect(tierMoves.length).toBeGreaterThan(3);
  for (const from of [beginning - day, ...times, ...times.map((time) => time + 1)])
    for (const to of [from, ...times, here.now() + 1].filter((to) => to >= from)) {
      const expected = all.filter(({ time }) => Date.parse(time) >= from && Date.parse(time) < to);
      const range = `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`;
      const found = await here.read(range);
      expect([range, found]).toEqual([range, summaryOf(expected)]);
    }
});

test("without from and to, all changes are counted, and without to, those from a time on; a range without changes has none", async () => {
  const here = await busyWorld();
  const all = await here.changes();
  expect(await here.read("from=2000-01-01")).toEqual(summaryOf(all));
  expect(await here.read("")).toEqual(summaryOf(all));
  const newest = all.at(-1)?.time;
  expect(await here.read(`from=${newest}`)).toEqual(summaryOf(all.filter(({ time }) => time === newest)));
  const none = { counts: [], tierMoves: [], firstSequence: null, lastSequence: null };
  expect(await here.read("from=2030-01-01")).toEqual(none);
  expect(await here.read("from=2000-01-01&to=2001-01-01")).toEqual(none);
  const { second, call } = here;
  const other = await call("GET", `${path}?from=2000-01-01`, undefined, { key: second.key });
  expect(other.body.data).toEqual(none);
});

test("changes that are no longer stored are not counted", async () => {
  const here = await busyWorld();
  const all = await here.changes();
  const [kept] = all.slice(-4);
  await here.execute(`DELETE FROM changes WHERE sequence < ${kept?.sequence}`);
  expect(await here.read("from=2000-01-01")).toEqual(summaryOf(all.slice(-4)));
});

test("changes are counted by their times also where the clock was set back", async () => {
  const here = await changeWorld();
  await here.send("POST", "/api/v1/accounts", { name: "Acme" });
  here.jump(400 * day);
  await here.send("PATCH", "/api/v1/accounts/1", { mrr: 1 });
  here.jump(hour - 400 * day);
  for (const mrr of [2, 3]) await here.send("PATCH", "/api/v1/accounts/1", { mrr });
  const { data } = (await here.call("GET", `${path}?from=${at(0)}&to=${at(2 * hour)}`)).body;
  expect(data).toEqual({
    counts: [
      { type: "account.created", count: 1 },
      { type: "account.updated", count: 2 },
    ],
    tierMoves: [],
    firstSequence: 1,
    lastSequence: 4,
  });
});

test("400: with from after to, and with a text that is no time", async () => {
  const { call } = await changeWorld();
  for (const [query, parameter, code] of [
    ["?from=2026-01-02&to=2026-01-01", "from", "after_to"],
    ["?from=yesterday", "from", "invalid_timestamp"],
    ["?from=2026-01-01&to=2026-02-30", "to", "invalid_timestamp"],
  ] as const) {
    const { status, body } = await call("GET", path + query);
    expect([query, status, body.errors]).toMatchObject([query, 400, [{ parameter, code }]]);
  }
});
