import { asc, gt, lte, max, or, sql } from "drizzle-orm";
import { excluded, inputs, integerInput, largerOf } from "../../db/expressions.ts";
import { accounts, events, healthProgress } from "../../db/schema.ts";
import { type DueCondition, firstValue, hasRow } from "../core/due-jobs.ts";
import { insert, select } from "../core/tenant/statements.ts";
import type { Tenant, TenantSnapshot, TenantTransaction } from "../core/tenant/tenant.ts";
import { moveActivity } from "./activity.ts";
import { recompute } from "./recompute.ts";
import type { ScoreValidityCache } from "./validity-cache.ts";

/** Scores to recompute, and events to read, in one transaction: a few milliseconds. */
const batchSize = 100;
const eventBatchSize = 5_000;
/** Accounts with new events whose scores stay as they are, in one transaction. */
const activityBatchSize = 500;

const progressOf = select("scores.progress", {
  fields: { lastEventId: healthProgress.lastEventId, refreshedAt: healthProgress.refreshedAt },
  from: healthProgress,
});
const lastEvent = select("scores.lastEvent", { fields: { id: max(events.id) }, from: events });
const isStale = lte(accounts.scoreStaleAt, integerInput("now"));
const staleAccounts = select("scores.stale", {
  fields: { accountId: accounts.id },
  from: accounts,
  where: isStale,
  orderBy: [asc(accounts.scoreStaleAt)],
  paged: true,
});
const newEvents = select("scores.newEvents", {
  fields: { id: events.id, accountId: events.accountId, at: events.timestamp },
  from: events,
  where: gt(events.id, integerInput("lastId")),
  orderBy: [asc(events.id)],
  paged: true,
});
const saveProgress = insert("scores.saveProgress", {
  into: healthProgress,
  values: inputs(healthProgress, "lastEventId", "refreshedAt"),
  onConflict: {
    target: [healthProgress.organizationId],
    set: {
      lastEventId: excluded(healthProgress.lastEventId),
      // Only the job after a clock reset moves it back.
      refreshedAt: largerOf(healthProgress.refreshedAt),
    },
  },
});

/** What a step found: no stale score; fewer than fit into a batch, so that all are recomputed; or perhaps more. */
export type RefreshResult = "none" | "all" | "more";

/**
 * Job: recomputes one batch of stale scores: of accounts with new events, of accounts that changed, and of accounts
 * whose score changes with time. `cache` has the scores that further events do not change.
 */
export async function refreshScores(tenant: Tenant, cache: ScoreValidityCache): Promise<RefreshResult> {
  if (!(await tenant.read(isBehind))) return "none";
  const { draft, isFull, ...progress } = await tenant.write((tx) => refreshBatch(tx, cache));
  cache.apply(tenant.organizationId, progress, draft);
  return isFull ? "more" : "all";
}

const readUpTo = firstValue(healthProgress.lastEventId, { from: healthProgress });
/** The same as `isBehind`. */
export const scoresDue: DueCondition = {
  isDue: sql`${or(
    hasRow({ from: accounts, where: isStale }),
    hasRow({ from: events, where: gt(events.id, sql`coalesce(${readUpTo}, 0)`) }),
  )}`,
};

async function isBehind(snapshot: TenantSnapshot): Promise<boolean> {
  const { now } = snapshot;
  const [stale, event, progress] = await Promise.all([
    snapshot.all(staleAccounts, { now, limit: 1, offset: 0 }),
    snapshot.first(lastEvent, {}),
    snapshot.first(progressOf, {}),
  ]);
  return stale.length > 0 || (event?.id ?? 0) > (progress?.lastEventId ?? 0);
}

async function refreshBatch(tx: TenantTransaction, cache: ScoreValidityCache) {
  const { now } = tx;
  const from = (await tx.first(progressOf, {})) ?? { lastEventId: 0, refreshedAt: 0 };
  const { lastEventId: lastId } = from;
  const draft = cache.draft(tx.organizationId, from);
  const stale = await tx.all(staleAccounts, { now, limit: batchSize, offset: 0 });
  const received = await tx.all(newEvents, { lastId, limit: eventBatchSize, offset: 0 });
  const accountIds = new Set(stale.map(({ accountId }) => accountId));
  const activity = new Map<number, number>();
  let isFull = stale.length === batchSize || received.length === eventBatchSize;
  let lastEventId = lastId;
  for (const { id, accountId, at } of received) {
    if (accountIds.size >= batchSize || activity.size >= activityBatchSize) {
      isFull = true;
      break;
    }
    if (accountId !== null && !draft.isUnaffected(accountId, at, now)) accountIds.add(accountId);
    else if (accountId !== null) activity.set(accountId, Math.max(at, activity.get(accountId) ?? at));
    lastEventId = id;
  }
  for (const [accountId, activityAt] of activity)
    if (!accountIds.has(accountId)) await moveActivity(tx, accountId, activityAt);
  for (const [accountId, validity] of await recompute(tx, [...accountIds])) draft.set(accountId, validity);
  if (lastEventId === lastId && accountIds.size === 0) return { draft, isFull, from, to: from };
  // Unique for each run, so that it identifies the position in the caches of all processes.
  const refreshedAt = Math.max(from.refreshedAt + 1, now);
  await tx.run(saveProgress, { lastEventId, refreshedAt });
  return { draft, isFull, from, to: { lastEventId, refreshedAt } };
}
