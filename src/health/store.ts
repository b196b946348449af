import { count, eq, sql } from "drizzle-orm";
import { accountHealth, accounts } from "../../db/schema.ts";
import { type Row, textInput } from "../../db/statements.ts";
import { noAccount } from "../account-reference.ts";
import { listing, type Page } from "../listing.ts";
import { oneValue, select, type Tenant } from "../tenant.ts";
import { readInputs } from "./inputs.ts";
import { refreshHealth } from "./refresh.ts";
import { type Health, healthOf } from "./score.ts";

/** The account's health as of a moment (milliseconds since 1970 UTC). Throws `not_found`. */
export async function getHealth(tenant: Tenant, accountId: number, asOf: number): Promise<Health> {
  return healthOf((await readInputs(tenant.rows, accountId, asOf)) ?? noAccount(), asOf);
}

const account = { from: accounts, where: eq(accounts.id, accountHealth.accountId) };
const fields = {
  accountId: accountHealth.accountId,
  name: oneValue<string>({ ...account, value: accounts.name }),
  externalId: oneValue<string | null>({ ...account, value: accounts.externalId }),
  status: oneValue<(typeof accounts.$inferSelect)["status"]>({ ...account, value: accounts.status }),
  mrr: accountHealth.mrr,
  score: accountHealth.score,
  tier: accountHealth.tier,
  coverage: accountHealth.coverage,
};
export type HealthRow = Row<typeof fields>;

const list = listing({
  from: accountHealth,
  key: accountHealth.accountId,
  fields,
  sortBy: { score: accountHealth.rank, mrr: accountHealth.mrr, name: accountHealth.foldedName },
  order: ["score", "asc"],
  filters: { tier: eq(accountHealth.tier, textInput("tier")) },
});

/** After so many steps, whose scores are still due are shown as they were: upkeep works them out within seconds. */
const mostSteps = 10;

async function catchUp(tenant: Tenant): Promise<void> {
  for (let steps = 0; steps < mostSteps && (await refreshHealth(tenant)); steps += 1);
}

/** A page of the organization's accounts with their scores, as they are now. */
export async function listHealth(
  tenant: Tenant,
  asked: Parameters<typeof list>[1],
): Promise<Page<HealthRow>> {
  await catchUp(tenant);
  return list(tenant, asked);
}

const tierFields = {
  tier: accountHealth.tier,
  accounts: count(),
  mrr: sql<number>`sum(${accountHealth.mrr})`,
};
export type TierRow = Row<typeof tierFields>;
const byTier = select({ fields: tierFields, from: accountHealth, groupBy: [accountHealth.tier] });

/** How many accounts each tier has, and their revenue, as they are now; without the tiers that have none. */
export async function summarizeHealth(tenant: Tenant): Promise<TierRow[]> {
  await catchUp(tenant);
  return tenant.rows.all(byTier, {});
}
