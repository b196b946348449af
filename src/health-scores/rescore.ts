import { isNotNull } from "drizzle-orm";
import { inputs } from "../../db/expressions.ts";
import { accounts, healthSettings, SCORE_DUE_NOW } from "../../db/schema.ts";
import { type DueCondition, hasRow } from "../core/due-jobs.ts";
import { writeBatchSize } from "../core/pauses.ts";
import { select, selectAfter, update } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";
import { noFacts } from "./facts.ts";
import { recompute } from "./recompute.ts";
import { computeHealth } from "./score.ts";
import { readSettings } from "./settings.ts";

const isRescoring = isNotNull(healthSettings.rescoredId);
const progress = select("rescoring.progress", {
  fields: { rescoredId: healthSettings.rescoredId },
  from: healthSettings,
  where: isRescoring,
});
const nextAccounts = selectAfter("rescoring.accounts", { fields: { id: accounts.id }, from: accounts });
const saveProgress = update("rescoring.saveProgress", {
  table: healthSettings,
  set: inputs(healthSettings, "rescoredId"),
  where: isRescoring,
});

const saveNew = update("rescoring.saveNew", {
  table: healthSettings,
  set: inputs(healthSettings, "newCoverage", "newStaleAt"),
  where: isRescoring,
});

export const rescoringDue: DueCondition = { isDue: hasRow({ from: healthSettings, where: isRescoring }) };

/**
 * Job: after a change of what all scores depend on, computes the next scores of the organization again, in the order of
 * the accounts. With more than `maxRescored` left, none. Returns whether there may be more.
 */
export async function rescoreNext(tenant: Tenant, maxRescored?: number): Promise<boolean> {
  if (!(await tenant.read((snapshot) => isRescorable(snapshot, maxRescored)))) return false;
  return tenant.write(async (tx) => {
    const lastId = (await tx.first(progress, {}))?.rescoredId ?? undefined;
    if (lastId === undefined) return false;
    const { score, coverage } = computeHealth(noFacts, tx.now, await readSettings(tx));
    // Accounts that are created meanwhile come last.
    await tx.run(saveNew, { newCoverage: coverage, newStaleAt: score === null ? null : SCORE_DUE_NOW });
    const found = await tx.all(nextAccounts, { lastId, limit: writeBatchSize, offset: 0 });
    const ids = found.map(({ id }) => id);
    await recompute(tx, ids);
    const hasMore = ids.length === writeBatchSize;
    await tx.run(saveProgress, { rescoredId: hasMore ? (ids.at(-1) ?? null) : null });
    return hasMore;
  });
}

async function isRescorable(snapshot: TenantSnapshot, maxRescored: number | undefined): Promise<boolean> {
  const lastId = (await snapshot.first(progress, {}))?.rescoredId ?? undefined;
  if (lastId === undefined || maxRescored === undefined) return lastId !== undefined;
  const [further] = await snapshot.all(nextAccounts, { lastId, limit: 1, offset: maxRescored });
  return further === undefined;
}
