import { expect, test } from "bun:test";
import { type RecordedChange, summarize } from "../../src/console/app/pages/overview/recent-changes.ts";

let sequence = 0;
function changeOf(type: string, accountId: number, members: object = {}): RecordedChange {
  sequence += 1;
  const time = new Date(Date.UTC(2026, 0, 1, 0, sequence)).toISOString();
  return { sequence, type, time, accountId, resourceId: accountId, ...members } as RecordedChange;
}
const move = (accountId: number, from: string | null, to: string | null) =>
  changeOf("account.health_changed", accountId, { before: { tier: from }, after: { tier: to } });

test("the moves of an account add up to one, and those that cancel out are none", () => {
  const { drops, rises } = summarize([
    move(1, "healthy", "attention"),
    move(2, "healthy", "critical"),
    move(1, "attention", "at_risk"),
    move(2, "critical", "healthy"),
    move(3, "critical", "attention"),
  ]);
  expect(drops.map(({ accountId, from, to }) => [accountId, from, to])).toEqual([[1, "healthy", "at_risk"]]);
  expect(rises.map(({ accountId, from, to }) => [accountId, from, to])).toEqual([
    [3, "critical", "attention"],
  ]);
});

test("the worst tier comes first, then the longest fall, then the latest", () => {
  const { drops } = summarize([
    move(1, "healthy", "attention"),
    move(2, "at_risk", "critical"),
    move(3, "healthy", "critical"),
    move(4, "at_risk", "critical"),
  ]);
  expect(drops.map(({ accountId }) => accountId)).toEqual([3, 4, 2, 1]);
});

test("a new account falls from its first score", () => {
  const { drops } = summarize([move(1, null, "healthy"), move(1, "healthy", "at_risk")]);
  expect(drops.map(({ accountId, from, to }) => [accountId, from, to])).toEqual([[1, "healthy", "at_risk"]]);
});

test("first scores, ends of a score and deleted accounts are no moves", () => {
  const { drops, rises, firstScoreCount } = summarize([
    move(1, null, "critical"),
    move(2, "healthy", null),
    move(3, "healthy", "critical"),
    changeOf("account.deleted", 3),
  ]);
  expect([...drops, ...rises]).toEqual([]);
  expect(firstScoreCount).toBe(1);
});

test("creates, updates and deletes are counted by resource", () => {
  const { counts } = summarize([
    changeOf("account.created", 1),
    changeOf("account.updated", 1),
    changeOf("contact.created", 1),
    changeOf("contact.created", 1),
    changeOf("meeting.deleted", 1),
    move(1, "healthy", "critical"),
  ]);
  expect(counts).toEqual([
    { resource: "account", created: 1, updated: 1, deleted: 0 },
    { resource: "contact", created: 2, updated: 0, deleted: 0 },
    { resource: "meeting", created: 0, updated: 0, deleted: 1 },
    { resource: "request", created: 0, updated: 0, deleted: 0 },
  ]);
});
