import { expect, test } from "bun:test";
import { readFacts } from "../../src/health-scores/facts.ts";
import type { HealthFacts } from "../../src/health-scores/score.ts";
import { Random } from "../support/random.ts";
import { seedsUpTo } from "../support/seeds.ts";
import { day, healthWorld } from "./health-world.ts";

type Row = { status: string; severity: number; requested_at: number; resolved_at: number | null };

/** The facts as of a time, computed from the rows one by one. */
function factsOf(rows: Row[], asOf: number): HealthFacts["requests"] {
  const made = rows.filter(({ requested_at: at }) => at <= asOf);
  const later = rows
    .map(({ requested_at: made, resolved_at: resolved }) => (made > asOf ? made : (resolved ?? 0)))
    .filter((at) => at > asOf);
  const open = made.filter(({ resolved_at: at }) => at === null || at > asOf);
  const durations = new Map<Row, number>();
  for (const row of made)
    if (row.resolved_at !== null && row.resolved_at <= asOf && row.resolved_at > asOf - 90 * day)
      durations.set(row, Math.max(0, row.resolved_at - row.requested_at));
  const resolved = [...durations.keys()].map(({ resolved_at: at }) => at ?? 0);
  const done = [...durations].filter(([{ status }]) => status === "Done");
  return {
    open: open.length,
    openTime: open.reduce((sum, { requested_at: at }) => sum + asOf - at, 0),
    nextAt: later.length > 0 ? Math.min(...later) : null,
    openSeverity: open.reduce((sum, { severity }) => sum + severity, 0),
    resolved: done.length,
    resolvedTime: done.reduce((sum, [, time]) => sum + time, 0),
    oldestResolvedAt: resolved.length > 0 ? Math.min(...resolved) : null,
  };
}

async function requestWorld() {
  const here = await healthWorld();
  for (const name of ["Acme", "Globex"]) await here.account({ name });
  return {
    ...here,
    rowsOf: (accountId: number) => here.rows<Row>("SELECT * FROM requests WHERE account_id = ?", accountId),
    async facts(accountId: number, asOf: number) {
      // The requests of other accounts are read by the same statements.
      const facts = await here.tenant().read((snapshot) => readFacts(snapshot, [1, 2], asOf));
      return facts.get(accountId)?.facts.requests;
    },
    faults: () => here.faults(0),
  };
}

test.each(seedsUpTo(3))("the facts are those of the rows, now and as of any time (seed %d)", async (seed) => {
  const here = await requestWorld();
  const { call, request, changeRequest, pass, now, textOf, rowsOf, facts } = here;
  const random = new Random(seed);
  const begin = now();
  const ids: number[] = [];
  for (let step = 0; step < 250; step += 1) {
    const id = random.of(ids.length > 0 ? ids : [0]);
    const status = random.of(["Open", "Planned", "Done", "Declined"]);
    const severity = 1 + random.below(5);
    const resolved = ["Done", "Declined"].includes(status) && random.below(2) === 0;
    const times = resolved ? { resolvedAt: textOf(now() - random.below(120 * day)) } : {};
    const kind = ids.length < 3 ? 0 : random.below(8);
    if (kind < 3) {
      const requestedAt = textOf(now() - random.below(random.of([20, 200])) * day - random.below(day));
      ids.push((await request({ status, severity, requestedAt }, 1 + random.below(2))).id);
    } else if (kind < 5)
      // It may be 400: a resolvedAt before requestedAt.
      await call("PATCH", `/api/v1/requests/${id}`, { status, severity, ...times });
    else if (kind === 5) await changeRequest(id, { title: "Other" });
    else if (kind === 6) {
      pass(random.below(2 * day));
      if (random.below(3) === 0) while (await here.jobs.steps.scores?.(here.tenant()));
    } else if (random.below(2) === 0) {
      await call("PUT", `/api/v1/requests/external/r${id}`, { accountId: 1, title: "Moved", severity });
      const body = { accountId: 1 + random.below(2), status, severity };
      await call("PUT", `/api/v1/requests/external/r${id}`, body);
    } else await call("DELETE", `/api/v1/requests/${ids.splice(ids.indexOf(id), 1)[0]}`);
    if (step % 10 > 0) continue;
    for (const accountId of [1, 2]) {
      const stored = await rowsOf(accountId);
      const times = stored.flatMap(({ resolved_at: at }) => (at === null ? [] : [at, at - 1, at + 90 * day]));
      const past = begin - 20 * day + random.below(now() - begin + 20 * day);
      for (const asOf of [now(), past, random.of([now(), ...times])])
        expect(await facts(accountId, asOf)).toEqual(factsOf(stored, asOf));
    }
  }
  expect(await here.faults()).toEqual([]);
});

test("requests that were made or resolved after now, because the clock was set back, are not included", async () => {
  const { request, jump, now, rowsOf, facts } = await requestWorld();
  await request({ severity: 3 });
  jump(5 * day);
  await request({ severity: 5, status: "Done" });
  await request({ severity: 4 });
  jump(-5 * day);
  expect(await facts(1, now())).toEqual(factsOf(await rowsOf(1), now()));
  expect(await facts(1, now())).toMatchObject({ openSeverity: 3, resolved: 0 });
});
