import { expect, test } from "bun:test";
import { countByResource, countNewScores } from "../../src/console/app/pages/overview/change-counts.ts";
import {
  type AccountChange,
  byRevenue,
  type ChangeSummary,
  movesOf,
  readTierMoves,
} from "../../src/console/app/pages/overview/tier-moves.ts";

let minutes = 0;
function changeOf(type: string, accountId: number, sides = {}): AccountChange {
  minutes += 1;
  const time = new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString();
  return { type, time, accountId, ...sides } as AccountChange;
}
const move = (accountId: number, from: string | null, to: string | null) =>
  changeOf("account.health_changed", accountId, { before: { tier: from }, after: { tier: to } });
const tiersOf = (moves: { accountId: number; from: string; to: string }[]) =>
  moves.map(({ accountId, from, to }) => [accountId, from, to]);

test("the moves of an account add up to one, and those that cancel out are none", () => {
  const { drops, rises } = movesOf([
    move(1, "healthy", "attention"),
    move(2, "healthy", "critical"),
    move(1, "attention", "at_risk"),
    move(2, "critical", "healthy"),
    move(3, "critical", "attention"),
  ]);
  expect(tiersOf(drops)).toEqual([[1, "healthy", "at_risk"]]);
  expect(tiersOf(rises)).toEqual([[3, "critical", "attention"]]);
});

test("the worst tier comes first, then the longest fall, then the latest", () => {
  const { drops } = movesOf([
    move(1, "healthy", "attention"),
    move(2, "at_risk", "critical"),
    move(3, "healthy", "critical"),
    move(4, "at_risk", "critical"),
  ]);
  expect(drops.map(({ accountId }) => accountId)).toEqual([3, 4, 2, 1]);
});

test("a new account falls from its first score", () => {
  expect(tiersOf(movesOf([move(1, null, "healthy"), move(1, "healthy", "at_risk")]).drops)).toEqual([
    [1, "healthy", "at_risk"],
  ]);
});

test("first scores, ends of a score and deleted accounts are no moves", () => {
  const changes = [
    move(1, null, "critical"),
    move(2, "healthy", null),
    move(3, "healthy", "critical"),
    changeOf("account.deleted", 3),
  ];
  expect(movesOf(changes)).toEqual({ drops: [], rises: [] });
});

const noMoves: ChangeSummary = {
  counts: [
    { type: "account.created", count: 3 },
    { type: "account.health_changed", count: 5 },
    { type: "meeting.deleted", count: 1 },
  ],
  tierMoves: [
    { from: null, to: "healthy", count: 2, firstSequence: 41 },
    { from: null, to: "critical", count: 2, firstSequence: 42 },
    { from: "healthy", to: null, count: 1, firstSequence: 43 },
  ],
  firstSequence: 41,
  lastSequence: 49,
};
const withMoves: ChangeSummary = {
  ...noMoves,
  tierMoves: [...noMoves.tierMoves, { from: "healthy", to: "critical", count: 1, firstSequence: 44 }],
};

/** Reads pages of `size` sequence numbers; the last number is a move. */
function reader(size: number) {
  const afters: number[] = [];
  const read = async (after: number) => {
    afters.push(after);
    return { changes: [move(after, "healthy", "critical")], nextAfter: after + size };
  };
  return { afters, read };
}

test("the changes of tiers are read from the first move to the last counted change", async () => {
  const { afters, read } = reader(5);
  const { drops, rises, isCut } = await readTierMoves(withMoves, read);
  expect(afters).toEqual([43, 48]);
  expect([drops.length, rises.length, isCut]).toEqual([2, 0, false]);
});

test("deleted accounts are read if the summary has any", async () => {
  const counts = [{ type: "account.deleted" as const, count: 1 }];
  const { rises, drops } = await readTierMoves({ ...withMoves, counts }, async (_, action) => ({
    changes:
      action === "deleted"
        ? [changeOf("account.deleted", 1)]
        : [1, 2].map((id) => move(id, "healthy", "critical")),
    nextAfter: 49,
  }));
  expect([rises, drops.map(({ accountId }) => accountId)]).toEqual([[], [2]]);
});

test("nothing is read if the summary has no move from one tier to another", async () => {
  const { afters, read } = reader(5);
  const none = { drops: [], rises: [], isCut: false };
  expect(await readTierMoves(noMoves, read)).toEqual(none);
  const empty = { counts: [], tierMoves: [], firstSequence: null, lastSequence: null };
  expect(await readTierMoves(empty, read)).toEqual(none);
  expect(afters).toEqual([]);
});

test("the newest 60,000 of more changes are read in at most 10 requests, and the list is marked as cut", async () => {
  const large = { ...withMoves, lastSequence: 1_000_000 };
  const { afters, read } = reader(10_000);
  expect(await readTierMoves(large, read)).toMatchObject({ isCut: true });
  expect([afters[0], afters.length]).toEqual([940_000, 6]);
  const small = reader(1_000);
  expect(await readTierMoves(large, small.read)).toMatchObject({ isCut: true });
  expect(small.afters).toHaveLength(10);
});

test("creates, updates and deletes are counted by resource, and first scores", () => {
  expect(countByResource(noMoves)).toEqual([
    { resource: "account", created: 3, updated: 0, deleted: 0 },
    { resource: "contact", created: 0, updated: 0, deleted: 0 },
    { resource: "meeting", created: 0, updated: 0, deleted: 1 },
    { resource: "request", created: 0, updated: 0, deleted: 0 },
  ]);
  expect(countNewScores(noMoves)).toBe(4);
});

test("moves are ordered by their last tier, then by the revenue of the account, deleted accounts last", () => {
  const moved = ([accountId, to, mrr]: [number, "critical" | "at_risk", number?]) => ({
    ...{ accountId, from: "healthy" as const, to, time: "" },
    account: mrr === undefined ? undefined : { id: accountId, name: "", mrr },
  });
  const moves = (
    [
      [1, "critical", 5],
      [2, "critical"],
      [3, "critical", 90],
      [4, "at_risk", 10],
      [5, "at_risk", 500],
    ] as Parameters<typeof moved>[0][]
  ).map(moved);
  expect(byRevenue(moves).map(({ accountId }) => accountId)).toEqual([3, 1, 2, 5, 4]);
});
