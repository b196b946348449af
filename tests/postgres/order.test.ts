import { expect, test } from "bun:test";
import { and, sql } from "drizzle-orm";
import type { Engine, Transaction } from "../../db/engine.ts";
import { compare, inputs } from "../../db/expressions.ts";
import { changes } from "../../db/schema.ts";
import { insert, select } from "../../db/statements.ts";
import { connection, engineOn, migratedDatabase } from "./database.ts";
import { addText, textsOf } from "./rows.ts";

const insertChange = insert("tests.postgres.insertChange", {
  into: changes,
  values: {
    ...inputs(changes, "organizationId", "sequence", "changedAt"),
    resource: sql`'account'`,
    action: sql`'deleted'`,
    resourceId: sql`1`,
    accountId: sql`1`,
    actorType: sql`'cli'`,
    keyId: sql`null`,
    keyName: sql`null`,
    requestId: sql`null`,
    before: sql`'{}'`,
    after: sql`null`,
  },
});
const changesAfter = select("tests.postgres.changesAfter", {
  fields: { sequence: changes.sequence },
  from: changes,
  where: and(
    compare(changes.organizationId, "=", "organizationId"),
    compare(changes.sequence, ">", "sequence"),
  ),
  orderBy: [sql`${changes.sequence}`],
});

/** Appends a change, as the stores do: with the next sequence. */
async function append(tx: Transaction, delayMilliseconds: number): Promise<number> {
  const sequence = await tx.nextSequence(1);
  await tx.run(insertChange, { organizationId: 1, sequence, changedAt: tx.now });
  await Bun.sleep(delayMilliseconds);
  return sequence;
}

/** Reads what follows the last one that it has seen, until all are there. */
async function follow(engine: Engine, count: number): Promise<number[]> {
  const seen: number[] = [];
  for (const end = performance.now() + 20_000; seen.length < count && performance.now() < end; ) {
    const rows = await engine.read((snapshot) =>
      snapshot.all(changesAfter, { organizationId: 1, sequence: seen.at(-1) ?? 0 }),
    );
    seen.push(...rows.map(({ sequence }) => sequence));
    await Bun.sleep(1);
  }
  return seen;
}

test("a reader of the changes after the last seen one misses none, although transactions stay open", async () => {
  const url = await migratedDatabase();
  const engines = [await engineOn(url), await engineOn(url), await engineOn(url)];
  const following = engines.map((engine) => follow(engine, 60));
  await Promise.all(
    engines.slice(0, 2).flatMap((engine, i) =>
      Array.from({ length: 30 }, async (_, j) => {
        await Bun.sleep(j * 20);
        await engine.write(1, (tx) => append(tx, i === 0 ? 30 : 0));
      }),
    ),
  );
  const expected = Array.from({ length: 60 }, (_, i) => i + 1);
  for (const seen of following) expect(await seen).toEqual(expected);
}, 40_000);

test("a copy gets the lock of an organization that another copy takes again at once", async () => {
  const url = await migratedDatabase();
  const [busy, other] = [await engineOn(url), await engineOn(url)];
  await busy.write(1, (tx) => addText(tx, 1, "first"));
  let isOver = false;
  const writers = Array.from({ length: 3 }, async (_, writer) => {
    for (let i = 0; !isOver; i += 1)
      await busy.write(1, async (tx) => {
        await addText(tx, 1, `${writer} ${i}`);
        await Bun.sleep(150);
      });
  });
  const times: number[] = [];
  for (let i = 0; i < 8; i += 1) {
    const startedAt = performance.now();
    await other.write(1, (tx) => addText(tx, 1, `other ${i}`));
    times.push(performance.now() - startedAt);
  }
  isOver = true;
  await Promise.all(writers);
  // A batch of the other copy has its three writes: 450 ms.
  expect(Math.max(...times)).toBeLessThan(2_500);
}, 40_000);

test("ids of one organization are stored in their order, although the identity is not of the transaction", async () => {
  const url = await migratedDatabase();
  const [slow, fast] = [await engineOn(url), await engineOn(url)];
  const unblock = Promise.withResolvers<void>();
  const inserted = Promise.withResolvers<void>();
  const first = slow.write(1, async (tx) => {
    await addText(tx, 1, "first");
    inserted.resolve();
    await unblock.promise;
  });
  await inserted.promise;
  const second = fast.write(1, (tx) => addText(tx, 1, "second"));
  // The other organizations go on.
  await fast.write(2, (tx) => addText(tx, 2, "other"));
  const sql = connection(url);
  let waiting = 0;
  // It waits for a moment, again and again.
  for (let i = 0; i < 100 && waiting === 0; i += 1) {
    await Bun.sleep(10);
    const [row] = await sql`select count(*)::int as waiting from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`;
    waiting = Number(row.waiting);
  }
  expect(waiting).toBe(1);
  expect(await fast.read((snapshot) => textsOf(snapshot, 1))).toEqual([]);
  unblock.resolve();
  await Promise.all([first, second]);
  expect(await fast.read((snapshot) => textsOf(snapshot, 1))).toEqual(["first", "second"]);
});
