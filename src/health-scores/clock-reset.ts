import { asc, gt } from "drizzle-orm";
import { inputs, integerInput } from "../../db/expressions.ts";
import { accounts, healthProgress } from "../../db/schema.ts";
import type { Tenant } from "../core/tenant.ts";
import { select, update } from "../core/tenant-statements.ts";
import { deleteIncompleteTotals } from "../usage/totals.ts";
import { markScoreStale } from "./stale.ts";

/** Scores to mark in one transaction: a few milliseconds. */
const batchSize = 100;

const lastRefresh = select("clockReset.lastRefresh", {
  fields: { refreshedAt: healthProgress.refreshedAt },
  from: healthProgress,
});
const moveBackLastRefresh = update("clockReset.moveBackLastRefresh", {
  table: healthProgress,
  set: inputs(healthProgress, "refreshedAt"),
  where: gt(healthProgress.refreshedAt, integerInput("refreshedAt")),
});
const accountsAfter = select("clockReset.accounts", {
  fields: { id: accounts.id },
  from: accounts,
  where: gt(accounts.id, integerInput("lastId")),
  orderBy: [asc(accounts.id)],
  paged: true,
});

/**
 * Returns a job that marks every score of an organization as stale after the clock was set back: they were computed
 * for a later time, and would be valid until then. At the start of the process, scores for the future show that this
 * happened before. The job marks one batch at each call and returns whether there may be more.
 */
export function markScoresAfterReset(): (tenant: Tenant) => Promise<boolean> {
  /** The resets of the clock that are handled, and the last account that is marked for the next one. */
  const progress = new Map<number, { resetCount: number; lastId: number }>();
  return async (tenant) => {
    const { organizationId, clockResetCount: resetCount } = tenant;
    const state = progress.get(organizationId) ?? { resetCount: await initialCount(tenant), lastId: 0 };
    progress.set(organizationId, state);
    if (state.resetCount === resetCount) return false;
    const rows = await tenant.write(async (tx) => {
      const batch = await tx.all(accountsAfter, { lastId: state.lastId, limit: batchSize, offset: 0 });
      if (state.lastId === 0) await deleteIncompleteTotals(tx);
      for (const { id } of batch) await markScoreStale(tx, id);
      if (batch.length < batchSize) await tx.run(moveBackLastRefresh, { refreshedAt: tx.now });
      return batch;
    });
    const isDone = rows.length < batchSize;
    progress.set(
      organizationId,
      isDone ? { resetCount, lastId: 0 } : { ...state, lastId: rows.at(-1)?.id ?? 0 },
    );
    return !isDone;
  };
}

/** No handled reset where scores were computed for the future, otherwise all. */
async function initialCount(tenant: Tenant): Promise<number> {
  const last = await tenant.read((snapshot) => snapshot.first(lastRefresh, {}));
  return last && last.refreshedAt > tenant.now ? -1 : tenant.clockResetCount;
}
