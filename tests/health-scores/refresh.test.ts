import { expect, setDefaultTimeout, test } from "bun:test";
import { findWrongScores } from "../../src/health-scores/compare.ts";
import { seedsUpTo } from "../support/seeds.ts";
import { world } from "../support/world.ts";
import {
  type OwnedIds,
  type RandomWorld,
  randomFrom,
  randomSteps,
  runStep,
  type Step,
} from "./random-steps.ts";

// Long enough to shrink the steps of a failure.
setDefaultTimeout(600_000);

type Row = { accountId: number; mrr: number; score: number | null; tier: string | null };
type Difference = { actual: object; expected: object };

/** A new world, and the list of its calls for the message of a failure. */
async function newRandomWorld(): Promise<{ randomWorld: RandomWorld; calls: string[] }> {
  const here = await world();
  const calls: string[] = [];
  const call: typeof here.call = async (method, path, body, options) => {
    const line = `${new Date(here.now()).toISOString()} ${method} ${path} ${JSON.stringify(body) ?? ""}`;
    const index = calls.push(line) - 1;
    const reply = await here.call(method, path, body, options);
    calls[index] = `${line} ${reply.status}`;
    const isExpected = [200, 201, 204, 404, 409].includes(reply.status);
    const { errors = [] } = reply.body ?? {};
    // A resolvedAt before requestedAt, or with another status than Done and Declined.
    if (!isExpected && !["after_resolved", "not_allowed"].includes(errors[0]?.code))
      throw new Error(`${line}: ${reply.text}`);
    return reply;
  };
  const organizations = [here.first, here.second].map(
    ({ key }): OwnedIds => ({ key, accounts: [], contacts: [], meetings: [], requests: [] }),
  );
  // Every step needs an account.
  for (const owner of organizations) owner.accounts.push((await here.account({ name: "Acme" }, owner)).id);
  return {
    randomWorld: { here: { ...here, call }, organizations, timestamps: [here.now()] },
    calls,
  };
}

/** The expected list: each account with its own health. */
async function expectedRows({ here }: RandomWorld, owner: OwnedIds): Promise<Row[]> {
  const { data } = (await here.call("GET", "/api/v1/accounts?pageSize=100", undefined, owner)).body;
  return Promise.all(
    data.map(async ({ id, name, externalId, mrr }: Record<string, unknown>) => {
      const { body } = await here.call("GET", `/api/v1/accounts/${id}/health`, undefined, owner);
      const { score, tier, coverage } = body.data;
      return { accountId: id, name, externalId, mrr, score, tier, coverage };
    }),
  );
}

function inOrder(rows: Row[], sortBy: string, sortOrder: string): Row[] {
  const rank = ({ score, mrr }: Row) => (sortBy === "mrr" ? mrr : (score ?? 101));
  // The rows are ordered by name already.
  const sorted =
    sortBy === "name" ? rows : rows.toSorted((a, b) => rank(a) - rank(b) || a.accountId - b.accountId);
  return sortOrder === "asc" ? sorted : sorted.toReversed();
}

async function listedRows({ here }: RandomWorld, owner: OwnedIds, query: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 1; ; page += 1) {
    const { body } = await here.call("GET", `/api/v1/health?${query}&page=${page}`, undefined, owner);
    // `scoredAt` depends on when the job ran.
    rows.push(...body.data.map(({ scoredAt: _, ...row }: Row & { scoredAt: string | null }) => row));
    if (!body.pagination.hasNextPage) return rows;
  }
}

function summaryOf(rows: Row[]) {
  const distribution = Array.from(
    { length: 10 },
    (_, band) =>
      rows.filter(({ score }) => score !== null && Math.min(9, Math.floor(score / 10)) === band).length,
  );
  const tiers = ["healthy", "attention", "at_risk", "critical", null].map((tier) => {
    const inTier = rows.filter((row) => row.tier === tier);
    return { tier, accounts: inTier.length, mrr: inTier.reduce((sum, { mrr }) => sum + mrr, 0) };
  });
  return { tiers, distribution };
}

/** The difference between the list in a random order and the summary, and the health of the accounts. */
async function differenceIn(randomWorld: RandomWorld, seed: number): Promise<Difference | undefined> {
  const random = randomFrom(seed);
  const owner = random.pick(randomWorld.organizations);
  const [sortBy, sortOrder] = [random.pick(["score", "mrr", "name"]), random.pick(["asc", "desc"])];
  const readSummary = async () => {
    const reply = await randomWorld.here.call("GET", "/api/v1/health/summary", undefined, owner);
    const { tiers, distribution } = reply.body.data;
    return { tiers, distribution };
  };
  const summaryFirst = random.oneIn(2) ? await readSummary() : undefined;
  const query = `sortBy=${sortBy}&sortOrder=${sortOrder}&pageSize=${random.pick([4, 7, 100])}`;
  const rows = await listedRows(randomWorld, owner, query);
  const summary = summaryFirst ?? (await readSummary());
  const expected = await expectedRows(randomWorld, owner);
  const tenant = randomWorld.here.tenant(randomWorld.organizations.indexOf(owner) + 1);
  const { faults } = await tenant.read((snapshot) => findWrongScores(snapshot, 0));
  const [actual, expectedState] = [
    { rows, summary, faults },
    { rows: inOrder(expected, sortBy, sortOrder), summary: summaryOf(expected), faults: [] },
  ];
  return Bun.deepEquals(actual, expectedState) ? undefined : { actual, expected: expectedState };
}

type FoundDifference = Difference & { after: number; calls: string[] };
type Run = (steps: Step[]) => Promise<FoundDifference | undefined>;

/** Runs the steps in a new world, one after the other, until the first difference. */
async function runSequentially(steps: Step[]): Promise<FoundDifference | undefined> {
  const { randomWorld, calls } = await newRandomWorld();
  for (const [index, step] of steps.entries()) {
    const callCount = calls.length;
    await runStep(step, randomWorld);
    const difference = step.kind === "check" ? await differenceIn(randomWorld, step.seed) : undefined;
    if (difference) return { ...difference, after: index + 1, calls: calls.slice(0, callCount) };
  }
  return undefined;
}

/** Runs the steps concurrently. Only steps of the kinds time, check and jobs wait for those before them. */
async function runConcurrently(steps: Step[]): Promise<FoundDifference | undefined> {
  const { randomWorld, calls } = await newRandomWorld();
  const running: Promise<void>[] = [];
  for (const [index, step] of steps.entries()) {
    if (["time", "check", "jobs"].includes(step.kind)) await Promise.all(running.splice(0));
    const callCount = calls.length;
    running.push(runStep(step, randomWorld));
    // The next step begins a millisecond later, after a random number of microtasks of this one.
    for (let turn = step.seed % 50; turn > 0; turn -= 1) await Promise.resolve();
    randomWorld.here.pass(1);
    const difference = step.kind === "check" ? await differenceIn(randomWorld, step.seed) : undefined;
    if (difference) return { ...difference, after: index + 1, calls: calls.slice(0, callCount) };
  }
  await Promise.all(running);
  return undefined;
}

/** Removes steps as long as there is still a difference. */
async function shrink(steps: Step[], run: Run): Promise<Step[]> {
  let shortest = steps;
  for (let size = shortest.length >> 1; size > 0; size >>= 1)
    for (let from = 0; from < shortest.length - 1; ) {
      const shorter = shortest.toSpliced(from, size);
      const found = await run(shorter);
      if (found) shortest = shorter.slice(0, found.after);
      else from += size;
    }
  return shortest;
}

/** Fails with a minimal list of calls if there is a difference. */
async function expectNoDifference(steps: Step[], run: Run): Promise<void> {
  const found = await run(steps);
  if (!found) return;
  const { calls, actual, expected } = (await run(await shrink(steps.slice(0, found.after), run))) ?? found;
  expect({ calls, ...actual }).toEqual({ calls, ...expected });
}

const seeds = seedsUpTo(10);

test.each(seeds)("after random changes and times the list equals the health of each account: %d", (seed) =>
  expectNoDifference(randomSteps(350, seed), runSequentially),
);

test.each(seeds)("after concurrent random changes the list equals the health of each account: %d", (seed) =>
  expectNoDifference(randomSteps(100, 1000 + seed), runConcurrently),
);
