import { isNotNull, type SQL, sql } from "drizzle-orm";
import { inputs } from "../../db/expressions.ts";
import { accounts, featureRequests, healthSettings, meetings, SCORE_DUE_NOW } from "../../db/schema.ts";
import { type DueCondition, firstValue } from "../core/due-jobs.ts";
import { writeBatchSize } from "../core/pauses.ts";
import {
  existsIn,
  insert,
  select,
  selectAfter,
  type TenantTable,
  update,
} from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantSnapshot, TenantTransaction } from "../core/tenant/transaction.ts";
import { noFacts } from "./facts.ts";
import { recompute } from "./recompute.ts";
import { computeHealth } from "./score.ts";
import { NONE_RESCORED, readSettings } from "./settings.ts";

const isRescoring = isNotNull(healthSettings.rescoredId);
const progress = select("rescoring.progress", {
  fields: { rescoredId: healthSettings.rescoredId },
  from: healthSettings,
});
/** A server of the version before creates organizations without the row. */
const insertRow = insert("rescoring.insertRow", {
  into: healthSettings,
  values: { hasMeetings: isAny(meetings), hasRequests: isAny(featureRequests), rescoredId: NONE_RESCORED },
  onConflict: { target: [healthSettings.organizationId] },
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

export const rescoringDue: DueCondition = {
  // Without a row, too.
  isDue: sql`coalesce(${firstValue(sql`case when ${isRescoring} then 1 else 0 end`, { from: healthSettings })}, 1) = 1`,
};

/**
 * Job: after a change of what all scores depend on, computes the next scores of the organization again, in the order of
 * the accounts. With more than `maxRescored` left, none. Returns whether there may be more.
 */
export async function rescoreNext(tenant: Tenant, maxRescored?: number): Promise<boolean> {
  if (!(await tenant.read((snapshot) => isRescorable(snapshot, maxRescored)))) return false;
  return tenant.write(async (tx) => {
    const row = await tx.first(progress, {});
    if (!row) await tx.run(insertRow, {});
    const lastId = row ? row.rescoredId : 0;
    if (lastId === null) return false;
    // Accounts that are created before this are computed last.
    if (lastId === 0) await storeNewAccount(tx);
    const found = await tx.all(nextAccounts, { lastId, limit: writeBatchSize, offset: 0 });
    const ids = found.map(({ id }) => id);
    await recompute(tx, ids);
    const hasMore = ids.length === writeBatchSize;
    await tx.run(saveProgress, { rescoredId: hasMore ? (ids.at(-1) ?? null) : null });
    return hasMore;
  });
}

/** Stores the coverage of a new account, and whether the settings give it a score. */
async function storeNewAccount(tx: TenantTransaction): Promise<void> {
  const { score, coverage } = computeHealth(noFacts, tx.now, await readSettings(tx));
  await tx.run(saveNew, { newCoverage: coverage, newStaleAt: score === null ? null : SCORE_DUE_NOW });
}

async function isRescorable(snapshot: TenantSnapshot, maxRescored: number | undefined): Promise<boolean> {
  const row = await snapshot.first(progress, {});
  const lastId = row ? row.rescoredId : 0;
  if (lastId === null || maxRescored === undefined) return lastId !== null;
  const [further] = await snapshot.all(nextAccounts, { lastId, limit: 1, offset: maxRescored });
  return further === undefined;
}

/** 1 if the organization has a row, else 0. */
function isAny(table: TenantTable): SQL {
  return sql`case when ${existsIn({ from: table, where: undefined })} then 1 else 0 end`;
}
