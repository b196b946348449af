import { sql } from "drizzle-orm";
import type { Engine, Snapshot, Transaction } from "../../db/engine.ts";
import { compare, input, inputs } from "../../db/expressions.ts";
import { healthProgress, lastSeen, unmatchedIds } from "../../db/schema.ts";
import { insert, select, update } from "../../db/statements.ts";

const insertText = insert("tests.postgres.insertText", {
  into: unmatchedIds,
  values: inputs(unmatchedIds, "organizationId", "externalId", "count", "firstAt", "lastAt"),
});
const selectTexts = select("tests.postgres.selectTexts", {
  fields: { text: unmatchedIds.externalId },
  from: unmatchedIds,
  where: compare(unmatchedIds.organizationId, "=", "organizationId"),
  orderBy: [sql`${unmatchedIds.id}`],
});
const selectAllTexts = select("tests.postgres.selectAllTexts", {
  fields: { text: unmatchedIds.externalId },
  from: unmatchedIds,
});
const addCounter = insert("tests.postgres.addCounter", {
  into: healthProgress,
  values: inputs(healthProgress, "organizationId", "lastEventId"),
  onConflict: { target: [healthProgress.organizationId] },
});
const selectCounter = select("tests.postgres.selectCounter", {
  fields: { value: healthProgress.lastEventId },
  from: healthProgress,
  where: compare(healthProgress.organizationId, "=", "organizationId"),
});
const updateCounter = update("tests.postgres.updateCounter", {
  table: healthProgress,
  set: { lastEventId: input("lastEventId") },
  where: compare(healthProgress.organizationId, "=", "organizationId"),
});
const insertLastSeen = insert("tests.postgres.insertLastSeen", {
  into: lastSeen,
  values: inputs(lastSeen, "organizationId", "accountId", "source", "lastSeenAt"),
});
const sleep = select("tests.postgres.sleep", {
  fields: { slept: sql<string>`cast(pg_sleep(cast(${input("seconds")} as double precision)) as text)` },
  from: unmatchedIds,
});

/** Inserts a text, which is unique within the organization; resolves with its id. */
export function addText(tx: Transaction, organizationId: number, text: string): Promise<number> {
  return tx.insert(insertText, { organizationId, externalId: text, count: 1, firstAt: 0, lastAt: 0 });
}

/** The texts of an organization, in the order of their ids. */
export async function textsOf(snapshot: Snapshot, organizationId: number): Promise<string[]> {
  return (await snapshot.all(selectTexts, { organizationId })).map(({ text }) => text);
}

export async function allTexts(engine: Engine): Promise<string[]> {
  const rows = await engine.read((snapshot) => snapshot.all(selectAllTexts, {}));
  return rows.map(({ text }) => text).sort();
}

/** Reads a counter, which is 0 at first, and stores it plus one. */
export async function increment(tx: Transaction, organizationId: number): Promise<number> {
  await tx.run(addCounter, { organizationId, lastEventId: 0 });
  const lastEventId = (await counterOf(tx, organizationId)) + 1;
  await tx.run(updateCounter, { organizationId, lastEventId });
  return lastEventId;
}

export async function counterOf(snapshot: Snapshot, organizationId: number): Promise<number> {
  return (await snapshot.first(selectCounter, { organizationId }))?.value ?? 0;
}

/** Inserts a row that refers to an account that does not exist. */
export function addOrphan(tx: Transaction, organizationId: number): Promise<void> {
  return tx.run(insertLastSeen, { organizationId, accountId: 404, source: "s", lastSeenAt: 0 });
}

/** Sleeps on the server for each text that is stored. */
export function sleepOnServer(snapshot: Snapshot, organizationId: number, seconds: number) {
  return snapshot.all(sleep, { organizationId, seconds });
}
