import { expect, test } from "bun:test";
import { readFacts } from "../../src/health-scores/facts.ts";
import { Random } from "../support/random.ts";
import { seedsUpTo } from "../support/seeds.ts";
import { day, healthWorld } from "./health-world.ts";

type Row = { day: number; count: number; first_at: number; last_at: number };

/** Two accounts with events of many names. `send` sends one event of each name. */
async function usageWorld() {
  const here = await healthWorld();
  for (const name of ["Acme", "Globex"]) await here.account({ name });
  return {
    ...here,
    async send(names: number, at: number, accountId = 1) {
      const events = Array.from({ length: names }, (_, i) => ({
        event: `feature ${i}`,
        accountId,
        timestamp: here.textOf(at),
      }));
      expect((await here.call("POST", "/api/v1/events", { events })).status).toBe(200);
    },
    async usage(accountId: number, asOf: number) {
      // The usage of other accounts is read by the same statements.
      const found = await here.tenant().read((snapshot) => readFacts(snapshot, [1, 2], asOf));
      const { usage, lastEventAt } = found.get(accountId)?.facts ?? {};
      return { usage, lastEventAt };
    },
    rowsOf: (accountId: number) => here.rows<Row>("SELECT * FROM usage_days WHERE account_id = ?", accountId),
  };
}

/** The usage as of a time, computed from the rows one by one: the sums of the windows, and the last event. */
function usageOf(rows: Row[], asOf: number) {
  const today = Math.floor(asOf / day);
  const begun = rows.filter((row) => row.day <= today && row.first_at <= asOf);
  const days = [...new Set(begun.map((row) => row.day))].sort((a, b) => b - a);
  const last = begun
    .filter((row) => row.day === days[0])
    .map((row) => (row.last_at <= asOf ? row.last_at : row.first_at));
  const usage = { recent: 0, before: 0, today: 0 };
  for (const { day, count } of begun)
    if (day === today) usage.today += count;
    else if (day >= today - 14) usage.recent += count;
    else if (day >= today - 28) usage.before += count;
  const lastEventAt = last.length > 0 ? Math.max(...last) : null;
  return { usage, lastEventAt };
}

test.each(seedsUpTo(3))("the usage is that of the rows, now and as of any time (seed %d)", async (seed) => {
  const { send, pass, now, usage, rowsOf, faults } = await usageWorld();
  const random = new Random(seed);
  const begin = now();
  for (let step = 0; step < 60; step += 1) {
    const at = now() - random.of([0, 0, random.below(3 * day), random.below(30 * day)]);
    await send(random.of([1, 2, 20]), at, 1 + random.below(2));
    for (const accountId of [1, 2]) {
      const all = await rowsOf(accountId);
      const past = begin + random.below(now() - begin + 1);
      for (const asOf of [now(), past, now() + random.of([1, 20, 40]) * day])
        expect(await usage(accountId, asOf)).toEqual(usageOf(all, asOf));
    }
    if (step % 10 === 9) expect(await faults(0)).toEqual([]);
    pass(random.below(day));
  }
});
