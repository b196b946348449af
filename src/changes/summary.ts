import { count, gt, gte, lt, lte, type SQL, sql } from "drizzle-orm";
import { either } from "../../db/dialects.ts";
import { allOf, type Column, integerInput, pick } from "../../db/expressions.ts";
import { changes } from "../../db/schema.ts";
import { idRangeFinder, type TimeRange } from "../core/lists/time-ranges.ts";
import { select } from "../core/tenant/statements.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";
import { type HealthTier, healthTiers } from "../shared/fields/tiers.ts";

const findChanges = idRangeFinder("changes", { from: changes, id: changes.sequence, at: changes.changedAt });

/** The tier of a side of a change of tiers; null for other changes. */
function tierIn(side: Column): SQL<HealthTier | null> {
  const tier = either({ sqlite: sql`${side} ->> 'tier'`, postgres: sql`cast(${side} as json) ->> 'tier'` });
  return sql`case when ${changes.action} = 'health_changed' then ${tier} end`;
}

const [fromTier, toTier] = [tierIn(changes.before), tierIn(changes.after)];
const countsOf = select("changes.counts", {
  fields: {
    ...pick(changes, "resource", "action"),
    ...{ from: fromTier, to: toTier, count: count() },
    // A group has rows.
    first: sql<number>`min(${changes.sequence})`,
    last: sql<number>`max(${changes.sequence})`,
  },
  from: changes,
  where: allOf(
    gt(changes.sequence, integerInput("after")),
    lte(changes.sequence, integerInput("upTo")),
    gte(changes.changedAt, integerInput("from")),
    lt(changes.changedAt, integerInput("to")),
  ),
  groupBy: [changes.resource, changes.action, fromTier, toTier],
});

/** Numbers of changes, in the order of types and tiers. Sequence numbers are null without changes. */
type ChangeCounts = {
  counts: { type: string; count: number }[];
  tierMoves: { from: HealthTier | null; to: HealthTier | null; count: number; firstSequence: number }[];
  firstSequence: number | null;
  lastSequence: number | null;
};

/** Counts the organization's stored changes of a range of times. */
export async function countChanges(snapshot: TenantSnapshot, range: TimeRange): Promise<ChangeCounts> {
  const [after, upTo] = await findChanges(snapshot, range);
  const { from, to } = range;
  const times = { from: from ?? Number.MIN_SAFE_INTEGER, to: to ?? Number.MAX_SAFE_INTEGER };
  const rows = await snapshot.all(countsOf, { after, upTo, ...times });
  const counts = new Map<string, number>();
  for (const { resource, action, count } of rows) {
    const type = `${resource}.${action}`;
    counts.set(type, (counts.get(type) ?? 0) + count);
  }
  return {
    counts: [...counts]
      .map(([type, count]) => ({ type, count }))
      .sort((a, b) => compareTexts(a.type, b.type)),
    tierMoves: rows
      .filter(({ action }) => action === "health_changed")
      .map(({ from, to, count, first }) => ({ from, to, count, firstSequence: first }))
      .sort((a, b) => rankOf(a.from) - rankOf(b.from) || rankOf(a.to) - rankOf(b.to)),
    firstSequence: rows.length === 0 ? null : Math.min(...rows.map(({ first }) => first)),
    lastSequence: rows.length === 0 ? null : Math.max(...rows.map(({ last }) => last)),
  };
}

const compareTexts = (a: string, b: string) => (a < b ? -1 : 1);
/** From the best tier to no score. */
const rankOf = (tier: HealthTier | null) => (tier === null ? healthTiers.length : healthTiers.indexOf(tier));
