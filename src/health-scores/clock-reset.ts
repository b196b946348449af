import { gt } from "drizzle-orm";
import { minJumpMilliseconds } from "../../db/clock.ts";
import { inputs, integerInput } from "../../db/expressions.ts";
import { accounts, healthProgress } from "../../db/schema.ts";
import { markScoresStale } from "../account-counts/stale-scores.ts";
import { type DueCondition, hasRow } from "../core/due-jobs.ts";
import { writeBatchSize } from "../core/pauses.ts";
import { select, selectAfter, update } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import { deleteFutureScores } from "./history.ts";

const wasRefreshedLater = gt(healthProgress.refreshedAt, integerInput("refreshedAfter"));
const laterRefresh = select("clockReset.laterRefresh", {
  fields: { refreshedAt: healthProgress.refreshedAt },
  from: healthProgress,
  where: wasRefreshedLater,
});
const moveBackRefresh = update("clockReset.moveBackRefresh", {
  table: healthProgress,
  set: inputs(healthProgress, "refreshedAt"),
  where: gt(healthProgress.refreshedAt, integerInput("refreshedAt")),
});
const accountsAfter = selectAfter("clockReset.accounts", { fields: { id: accounts.id }, from: accounts });

/** A smaller difference is one of the clocks of two processes. */
const refreshedAfter = (now: number) => ({ refreshedAfter: now + minJumpMilliseconds });

export const clockResetDue: DueCondition = {
  isDue: hasRow({ from: healthProgress, where: wasRefreshedLater }),
  inputs: ({ now }) => refreshedAfter(now),
};

/**
 * Returns a job that marks every score of an organization as stale if scores were computed for a later time, before the
 * clock was set back. It marks one batch at each call and returns whether there may be more.
 */
export function markScoresAfterReset(): (tenant: Tenant) => Promise<boolean> {
  /** The last marked account of each organization. */
  const lastIds = new Map<number, number>();
  return async (tenant) => {
    const { organizationId, now } = tenant;
    if (!(await tenant.readOne((snapshot) => snapshot.first(laterRefresh, refreshedAfter(now)))))
      return false;
    const ids = await tenant.write(async (tx) => {
      const page = { lastId: lastIds.get(organizationId) ?? 0, limit: writeBatchSize, offset: 0 };
      const ids = (await tx.all(accountsAfter, page)).map(({ id }) => id);
      await markScoresStale(tx, ids);
      await deleteFutureScores(tx, ids);
      if (ids.length < writeBatchSize) await tx.run(moveBackRefresh, { refreshedAt: tx.now });
      return ids;
    });
    lastIds.set(organizationId, ids.length < writeBatchSize ? 0 : (ids.at(-1) ?? 0));
    return ids.length === writeBatchSize;
  };
}
