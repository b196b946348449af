import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { yieldToEventLoop } from "../../db/event-loop.ts";
import { integerInput } from "../../db/expressions.ts";
import { organizations } from "../../db/schema.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { ReadTurns } from "../../db/sqlite/reads/read-turns.ts";
import { select } from "../../db/statements.ts";
import { createOrganization } from "../../src/organizations/store.ts";
import { closeAfterTest, temporaryFile } from "../support/world.ts";
import { clock } from "./files.ts";

const fields = { id: organizations.id };
const fast = select("tests.readTurns.fast", { fields, from: organizations });
const scanned = select("tests.readTurns.scanned", { fields, from: organizations, paged: true });
const counting = sql<number>`(with recursive n (i) as (select 1 union all select i + 1 from n where i < ${integerInput("steps")}) select count(*) from n)`;
/** Takes more time than a turn has, although it scans few rows. */
const medium = select("tests.readTurns.medium", {
  fields: { count: counting },
  from: organizations,
  paged: true,
  scanned,
});

type Sent = number | "fast";

/** The reads in the order in which they run, all sent in one turn: of an organization, or a fast one. */
async function serviceOf(reads: readonly Sent[], isFair: boolean) {
  const engine = openDatabase(temporaryFile("accountd.db"), { clock, canCreate: true, isFair });
  closeAfterTest(() => engine.close());
  await createOrganization(engine, "First");
  let turn = 0;
  let isOver = false;
  const count = () => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  const served: { id: Sent; turn: number }[] = [];
  const read = (id: Sent) =>
    engine.read(async (snapshot) => {
      if (id === "fast") await snapshot.first(fast, {});
      else await snapshot.first(medium, { organizationId: id, steps: 50_000, limit: 1, offset: 0 });
      served.push({ id, turn });
    });
  setImmediate(count);
  await Promise.all(reads.map(read));
  isOver = true;
  return {
    order: served.flatMap(({ id }) => (id === "fast" ? [] : id)),
    turns: served.flatMap(({ id, turn }) => (id === "fast" ? [] : turn)),
    turnOfFast: served.find(({ id }) => id === "fast")?.turn,
  };
}

const sent = [1, 1, 1, 1, 2, "fast", 2, 3] as const;

test("fast reads do not wait for reads of some milliseconds, which are served by organization in turn", async () => {
  const { order, turns, turnOfFast } = await serviceOf(sent, true);
  expect(order).toEqual([1, 1, 2, 3, 1, 2, 1]);
  expect(new Set(turns).size).toBe(7);
  expect(turnOfFast).toBe(turns[0]);
});

test("control: without turns all are served at once, in the order of arrival", async () => {
  const { order, turns } = await serviceOf(sent, false);
  expect(order).toEqual([1, 1, 1, 1, 2, 2, 3]);
  expect(new Set(turns).size).toBe(1);
});

test("a turn of the event loop has time for short reads, and for one that exceeds it", async () => {
  let now = 0;
  const turns = new ReadTurns({ now: () => now });
  let turn = 0;
  let isOver = false;
  const count = () => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  turns.use(10);
  expect(turns.hasTime).toBe(false);
  const turnsOfReads: number[] = [];
  const read = (milliseconds: number) =>
    turns.run(1, async () => {
      now += milliseconds;
      turns.use(milliseconds);
      turnsOfReads.push(turn);
    });
  setImmediate(count);
  await Promise.all([0.5, 0.5, 0.5, 10, 10, 0.5, 0.5].map(read));
  expect(turnsOfReads).toEqual([0, 0, 0, 0, 1, 2, 2]);
  isOver = true;
  while (!turns.hasTime) await yieldToEventLoop();
});

test("a read that fails in a later turn is rejected, and the next one is answered", async () => {
  const turns = new ReadTurns();
  turns.use(10);
  const results = await Promise.allSettled([
    turns.run(1, () => Promise.reject(new Error("no more"))),
    turns.run(1, async () => "answered"),
  ]);
  expect(results).toMatchObject([{ reason: { message: "no more" } }, { value: "answered" }]);
});

test("short reads that follow each other without an end do not hold up the event loop", async () => {
  const turns = new ReadTurns();
  turns.use(10);
  let isOver = false;
  const loop = async () => {
    while (!isOver) await turns.run(1, async () => turns.use(0.01));
  };
  const loops = Promise.all([loop(), loop()]);
  // Without the limit, this never resolves.
  await yieldToEventLoop();
  await yieldToEventLoop();
  isOver = true;
  await loops;
});
