import { asc, gt } from "drizzle-orm";
import { minJumpMilliseconds } from "../../db/clock.ts";
import { inputs, integerInput } from "../../db/expressions.ts";
import { accounts, healthProgress } from "../../db/schema.ts";
import { type DueCondition, type DueTimes, hasRow } from "../core/due-jobs.ts";
import { select, update } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import { deleteIncompleteTotals } from "../usage/totals.ts";
import { deleteFutureScores } from "./history.ts";
import { markScoresStale } from "./stale.ts";

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
 * Scores that were computed for later times were computed for the future. Unless this process has seen a reset of the
 * clock, a difference that is no jump is one of the clocks of two processes.
 */
function refreshedAfter({ now, clockResetCount }: Pick<DueTimes, "now" | "clockResetCount">): number {
  return clockResetCount > 0 ? now : now + minJumpMilliseconds;
}

export const clockResetDue: DueCondition = {
  isDue: hasRow({
    from: healthProgress,
    where: gt(healthProgress.refreshedAt, integerInput("refreshedAfter")),
  }),
  inputs: (times) => ({ refreshedAfter: refreshedAfter(times) }),
};

/**
 * Returns a job that marks every score of an organization as stale if scores were computed for the future, before the
 * clock was set back: they would be valid until then. The job marks one batch at each call and returns whether there
 * may be more.
 */
export function markScoresAfterReset(): (tenant: Tenant) => Promise<boolean> {
  /** The number of resets of the clock that are handled, and the last account that is marked for the next one. */
  const progress = new Map<number, { resetCount: number; lastId: number }>();
  return async (tenant) => {
    const { organizationId, clockResetCount: resetCount } = tenant;
    const state = progress.get(organizationId) ?? { resetCount: -1, lastId: 0 };
    if (state.resetCount === resetCount) return false;
    if (state.lastId === 0 && !(await hasFutureScores(tenant))) {
      progress.set(organizationId, { resetCount, lastId: 0 });
      return false;
    }
    const rows = await tenant.write(async (tx) => {
      const batch = await tx.all(accountsAfter, { lastId: state.lastId, limit: batchSize, offset: 0 });
      if (state.lastId === 0) await deleteIncompleteTotals(tx);
      const ids = batch.map(({ id }) => id);
      await markScoresStale(tx, ids);
      await deleteFutureScores(tx, ids);
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

async function hasFutureScores(tenant: Tenant): Promise<boolean> {
  const last = await tenant.readOne((snapshot) => snapshot.first(lastRefresh, {}));
  return last !== undefined && last.refreshedAt > refreshedAfter(tenant);
}
