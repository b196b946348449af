import { expect, setDefaultTimeout, test } from "bun:test";
import { world } from "../support/world.ts";
import { type Own, type Place, randomFrom, randomSteps, type Step, take } from "./random-steps.ts";

// Long enough to find the few steps that show a difference, should there be one.
setDefaultTimeout(600_000);

type Row = { accountId: number; mrr: number; score: number | null; tier: string | null };
type Difference = { shown: object; wanted: object };

/** A new world, and the calls that are made in it, to be told when they show a difference. */
async function newPlace(): Promise<{ place: Place; calls: string[] }> {
  const here = await world();
  const calls: string[] = [];
  const call: typeof here.call = async (method, path, body, options) => {
    const told = `${new Date(here.now()).toISOString()} ${method} ${path} ${JSON.stringify(body) ?? ""}`;
    const index = calls.push(told) - 1;
    const reply = await here.call(method, path, body, options);
    calls[index] = `${told} ${reply.status}`;
    const isTaken = [200, 201, 204, 404, 409].includes(reply.status);
    const { errors = [] } = reply.body ?? {};
    if (!isTaken && errors[0]?.code !== "after_resolved") throw new Error(`${told}: ${reply.text}`);
    return reply;
  };
  const organizations = [here.first, here.second].map(
    ({ key }): Own => ({ key, accounts: [], contacts: [], meetings: [], requests: [] }),
  );
  // So that every step finds one.
  for (const own of organizations) own.accounts.push((await here.account({ name: "Acme" }, own)).id);
  return {
    place: { here: { ...here, call }, organizations, moments: [here.now()] },
    calls,
  };
}

/** What the list has to be: each account as it shows itself, and its own health. */
async function rowsWanted({ here }: Place, own: Own): Promise<Row[]> {
  const { data } = (await here.call("GET", "/api/v1/accounts?pageSize=100", undefined, own)).body;
  return Promise.all(
    data.map(async ({ id, name, externalId, mrr }: Record<string, unknown>) => {
      const { body } = await here.call("GET", `/api/v1/accounts/${id}/health`, undefined, own);
      const { score, tier, coverage } = body.data;
      return { accountId: id, name, externalId, mrr, score, tier, coverage };
    }),
  );
}

function inOrder(rows: Row[], sortBy: string, sortOrder: string): Row[] {
  const rank = ({ score, mrr }: Row) => (sortBy === "mrr" ? mrr : (score ?? 101));
  // The accounts came by name.
  const sorted =
    sortBy === "name"
      ? rows
      : rows.toSorted((one, other) => rank(one) - rank(other) || one.accountId - other.accountId);
  return sortOrder === "asc" ? sorted : sorted.toReversed();
}

async function rowsShown({ here }: Place, own: Own, query: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 1; ; page += 1) {
    const { body } = await here.call("GET", `/api/v1/health?${query}&page=${page}`, undefined, own);
    rows.push(...body.data);
    if (!body.pagination.hasNextPage) return rows;
  }
}

function summaryOf(rows: Row[]) {
  return ["healthy", "attention", "at_risk", "critical", null].map((tier) => {
    const some = rows.filter((row) => row.tier === tier);
    return { tier, accounts: some.length, mrr: some.reduce((sum, { mrr }) => sum + mrr, 0) };
  });
}

/** Where the list, in some order, or the summary is not what the accounts themselves say. */
async function differenceIn(place: Place, seed: number): Promise<Difference | undefined> {
  const random = randomFrom(seed);
  const own = random.pick(place.organizations);
  const [sortBy, sortOrder] = [random.pick(["score", "mrr", "name"]), random.pick(["asc", "desc"])];
  const summary = async () =>
    (await place.here.call("GET", "/api/v1/health/summary", undefined, own)).body.data.tiers;
  const summaryFirst = random.oneIn(2) ? await summary() : undefined;
  const query = `sortBy=${sortBy}&sortOrder=${sortOrder}&pageSize=${random.pick([4, 7, 100])}`;
  const rows = await rowsShown(place, own, query);
  const tiers = summaryFirst ?? (await summary());
  const wanted = await rowsWanted(place, own);
  const [shown, whole] = [
    { rows, tiers },
    { rows: inOrder(wanted, sortBy, sortOrder), tiers: summaryOf(wanted) },
  ];
  return Bun.deepEquals(shown, whole) ? undefined : { shown, wanted: whole };
}

type Found = Difference & { after: number; calls: string[] };
type Run = (steps: Step[]) => Promise<Found | undefined>;

/** Takes the steps in a new world, one after the other, up to the first difference. */
async function oneByOne(steps: Step[]): Promise<Found | undefined> {
  const { place, calls } = await newPlace();
  for (const [index, step] of steps.entries()) {
    const done = calls.length;
    await take(step, place);
    const difference = step.kind === "check" ? await differenceIn(place, step.seed) : undefined;
    if (difference) return { ...difference, after: index + 1, calls: calls.slice(0, done) };
  }
  return undefined;
}

/** The same, but what is done between two checks, or while no time passes, begins without waiting for the others. */
async function together(steps: Step[]): Promise<Found | undefined> {
  const { place, calls } = await newPlace();
  const running: Promise<void>[] = [];
  for (const [index, step] of steps.entries()) {
    if (["time", "check", "jobs"].includes(step.kind)) await Promise.all(running.splice(0));
    const done = calls.length;
    running.push(take(step, place));
    // The next begins a millisecond later, when this one is anywhere on its way.
    for (let turn = step.seed % 50; turn > 0; turn -= 1) await Promise.resolve();
    place.here.pass(1);
    const difference = step.kind === "check" ? await differenceIn(place, step.seed) : undefined;
    if (difference) return { ...difference, after: index + 1, calls: calls.slice(0, done) };
  }
  await Promise.all(running);
  return undefined;
}

/** The fewest of the steps that still show a difference. */
async function shrunk(steps: Step[], run: Run): Promise<Step[]> {
  let fewest = steps;
  for (let size = fewest.length >> 1; size > 0; size >>= 1)
    for (let from = 0; from < fewest.length - 1; ) {
      const fewer = fewest.toSpliced(from, size);
      const found = await run(fewer);
      if (found) fewest = fewer.slice(0, found.after);
      else from += size;
    }
  return fewest;
}

/** Fails with the fewest calls that show a difference, should there be one. */
async function expectNoDifference(steps: Step[], run: Run): Promise<void> {
  const found = await run(steps);
  if (!found) return;
  const { calls, shown, wanted } = (await run(await shrunk(steps.slice(0, found.after), run))) ?? found;
  expect({ calls, ...shown }).toEqual({ calls, ...wanted });
}

const seeds = Array.from({ length: 10 }, (_, index) => index + 1);

test.each(seeds)("after any changes and times the list is what each account says of itself: %d", (seed) =>
  expectNoDifference(randomSteps(350, seed), oneByOne),
);

test.each(seeds)("after changes at the same time, too: %d", (seed) =>
  expectNoDifference(randomSteps(100, 1000 + seed), together),
);
