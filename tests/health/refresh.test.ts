import { expect, setDefaultTimeout, test } from "bun:test";
import { world } from "../support/world.ts";
import { type Own, type Place, randomFrom, randomSteps, type Step, take } from "./random-steps.ts";

// Long enough to find the few steps that show a difference, should there be one.
setDefaultTimeout(600_000);

type Row = { accountId: number; mrr: number; score: number | null; tier: string | null };
type Difference = { shown: unknown; wanted: unknown };

async function newPlace(): Promise<Place> {
  const here = await world();
  const organizations = [here.first, here.second].map(
    ({ key }): Own => ({ key, accounts: [], contacts: [], meetings: [], requests: [] }),
  );
  // So that every step finds one.
  for (const own of organizations) own.accounts.push((await here.account({ name: "Acme" }, own)).id);
  return { here, organizations, moments: [here.now()], steady: new Map() };
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
async function differenceIn(place: Place, own: Own, seed: number): Promise<Difference | undefined> {
  const random = randomFrom(seed);
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

/** Takes the steps in a new world, up to the first difference. */
async function run(steps: Step[]): Promise<(Difference & { after: number }) | undefined> {
  const place = await newPlace();
  for (const [index, step] of steps.entries()) {
    await take(step, place);
    if (step.kind !== "check") continue;
    const own = place.organizations[step.seed % 2] as Own;
    const difference = await differenceIn(place, own, step.seed);
    if (difference) return { ...difference, after: index + 1 };
  }
  return undefined;
}

/** The same, but the changes between two checks begin each a millisecond after the other, without waiting for it. */
async function runTogether(steps: Step[]): Promise<(Difference & { after: number }) | undefined> {
  const place = await newPlace();
  let running: Promise<void>[] = [];
  for (const [index, step] of steps.entries()) {
    if (step.kind === "time" || step.kind === "check" || step.kind === "upkeep")
      await Promise.all(running.splice(0));
    const taken = take(step, place);
    if (step.kind !== "check") {
      running = [...running, taken];
      for (let turn = step.seed % 50; turn > 0; turn -= 1) await Promise.resolve();
      place.here.pass(1);
      continue;
    }
    await taken;
    place.here.pass(1);
    const own = place.organizations[step.seed % 2] as Own;
    const difference = await differenceIn(place, own, step.seed);
    if (difference) return { ...difference, after: index + 1 };
  }
  return undefined;
}

/** The fewest of the steps that still show a difference. */
async function shrunk(steps: Step[], take: typeof run): Promise<Step[]> {
  let fewest = steps.slice(0, (await take(steps))?.after ?? steps.length);
  for (let size = fewest.length >> 1; size > 0; size >>= 1)
    for (let from = 0; from < fewest.length - 1; ) {
      const fewer = fewest.toSpliced(from, size);
      if (await take(fewer)) fewest = fewer;
      else from += size;
    }
  return fewest;
}

async function expectNoDifference(steps: Step[], take: typeof run): Promise<void> {
  if (!(await take(steps))) return;
  const fewest = await shrunk(steps, take);
  const { shown, wanted } = (await take(fewest)) ?? {};
  expect({ steps: fewest, ...(shown ?? {}) }).toEqual({ steps: fewest, ...(wanted ?? {}) });
}

const seeds = Array.from({ length: 10 }, (_, index) => index + 1);

test.each(seeds)("after any changes and times the list is what each account says of itself: %d", (seed) =>
  expectNoDifference(randomSteps(350, seed), run),
);

test.each(seeds)("after changes at the same time, too: %d", (seed) =>
  expectNoDifference(randomSteps(100, 1000 + seed), runTogether),
);
