import { eq, sql } from "drizzle-orm";
import { inputs, pick } from "../../db/expressions.ts";
import { healthSettings } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import { parseStoredJson } from "../core/stored-json.ts";
import { insert, select, update } from "../core/tenant/statements.ts";
import type { LookUp } from "../core/tenant/tenant.ts";
import type { TenantSnapshot, TenantTransaction } from "../core/tenant/transaction.ts";
import { defaultHealthSettings, type HealthSettings } from "../shared/health.ts";
import type { HealthRules } from "./score.ts";

/** The `rescoredId` while no score is computed again yet: lower than the id of any account. */
export const NONE_RESCORED = sql.raw("0");
const fields = {
  id: healthSettings.organizationId,
  ...pick(healthSettings, "settings", "version", "hasMeetings", "hasRequests"),
};
type SettingsRow = Row<typeof fields>;
const settingsRow = select("healthSettings.row", { fields, from: healthSettings });
const store = insert("healthSettings.store", {
  into: healthSettings,
  values: { ...inputs(healthSettings, "settings", "version"), rescoredId: NONE_RESCORED },
  onConflict: {
    target: [healthSettings.organizationId],
    set: { ...inputs(healthSettings, "settings", "version"), rescoredId: NONE_RESCORED },
  },
});
/** Only the first meeting and the first request of an organization change its row. */
const markKnown = {
  meeting: update("healthSettings.markMeetings", {
    table: healthSettings,
    set: { hasMeetings: sql`1`, rescoredId: NONE_RESCORED },
    where: eq(healthSettings.hasMeetings, sql`0`),
  }),
  request: update("healthSettings.markRequests", {
    table: healthSettings,
    set: { hasRequests: sql`1`, rescoredId: NONE_RESCORED },
    where: eq(healthSettings.hasRequests, sql`0`),
  }),
};

/** The statement that finds the settings and their version. */
export const lookUpSettings: LookUp<SettingsRow> = { statement: settingsRow, values: {} };

/** The stored settings, or the defaults, with the version of their row. */
export async function readSettings(
  snapshot: TenantSnapshot,
): Promise<HealthRules & { row: { id: number; version: number } }> {
  const found = await snapshot.first(settingsRow, {});
  return {
    row: { id: snapshot.organizationId, version: found?.version ?? 0 },
    settings: found?.settings ? parseSettings(found.settings) : defaultHealthSettings,
    hasMeetings: found?.hasMeetings === 1,
    hasRequests: found?.hasRequests === 1,
  };
}

/** Stores settings, and computes every score again. Without a difference, nothing changes. */
export async function storeSettings(
  tx: TenantTransaction,
  settings: HealthSettings,
): Promise<{ id: number; version: number }> {
  const { row, settings: before } = await readSettings(tx);
  if (Bun.deepEquals(before, settings)) return row;
  const version = row.version + 1;
  await tx.run(store, { settings: JSON.stringify(settings), version });
  const common = { resource: "health_settings", action: "updated", id: row.id, accountId: null } as const;
  await tx.record([{ ...common, before, after: settings }]);
  return { ...row, version };
}

/** Makes the factors of meetings, or of requests, known for every account of the organization from now on. */
export async function markFactorKnown(tx: TenantTransaction, type: keyof typeof markKnown): Promise<void> {
  const key = `known factor ${type}`;
  if (tx.cache.get(key)) return;
  tx.cache.set(key, true);
  await tx.run(markKnown[type], {});
}

function parseSettings(json: string): HealthSettings {
  // Safe: `storeSettings` writes it.
  return parseStoredJson(json) as HealthSettings;
}
