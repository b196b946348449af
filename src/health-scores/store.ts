import { count, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { accountHealth, accounts } from "../../db/schema.ts";
import { type Row, textInput } from "../../db/statements.ts";
import { countAccounts } from "../accounts/counts.ts";
import { accountNotFound } from "../accounts/reference.ts";
import { defineList, type Page } from "../core/list-query.ts";
import { scalarSubquery, select, type Tenant } from "../core/tenant.ts";
import { readInputs } from "./inputs.ts";
import { refreshHealth } from "./refresh.ts";
import { type Health, healthOf } from "./score.ts";

/** The account's health as of a moment (milliseconds since 1970 UTC). Throws `not_found`. */
export async function getHealth(tenant: Tenant, accountId: number, asOf: number): Promise<Health> {
  return healthOf((await readInputs(tenant.rows, accountId, asOf)) ?? accountNotFound(), asOf);
}

const ofAccount = eq(accounts.id, accountHealth.accountId);
const account = { from: accounts, where: ofAccount };
const health = { from: accountHealth, where: ofAccount };
const fields = {
  accountId: accountHealth.accountId,
  name: scalarSubquery<string>({ ...account, value: accounts.name }),
  externalId: scalarSubquery<string | null>({ ...account, value: accounts.externalId }),
  mrr: accountHealth.mrr,
  score: accountHealth.score,
  tier: accountHealth.tier,
  coverage: accountHealth.coverage,
};
export type HealthRow = Row<typeof fields>;

const scores = defineList({
  from: accountHealth,
  key: accountHealth.accountId,
  fields,
  sortBy: { score: accountHealth.rank, mrr: accountHealth.mrr, name: accountHealth.foldedName },
  order: ["score", "asc"],
  filters: { tier: eq(accountHealth.tier, textInput("tier")) },
});
/** All accounts in the orders of theirs for which they have indexes. */
const scoresOfAll = defineList({
  from: accounts,
  key: accounts.id,
  fields: {
    accountId: accounts.id,
    name: accounts.name,
    externalId: accounts.externalId,
    mrr: accounts.mrr,
    score: scalarSubquery<number | null>({ ...health, value: accountHealth.score }),
    tier: scalarSubquery<HealthRow["tier"]>({ ...health, value: accountHealth.tier }),
    coverage: scalarSubquery<number>({ ...health, value: accountHealth.coverage }),
  },
  sortBy: { mrr: accounts.mrr, name: accounts.foldedName },
  order: ["name", "asc"],
  filters: {},
});

/** After so many steps, whose scores are still due are shown as they were: upkeep works them out within seconds. */
const mostSteps = 10;

async function catchUp(tenant: Tenant): Promise<void> {
  for (let steps = 0; steps < mostSteps && (await refreshHealth(tenant)); steps += 1);
}

/** A page of the organization's accounts with their scores, as they are now. */
export async function listHealth(
  tenant: Tenant,
  asked: Parameters<typeof scores>[1],
): Promise<Page<HealthRow>> {
  await catchUp(tenant);
  const { sortBy, tier } = asked;
  if (tier !== undefined) return scores(tenant, asked);
  const total = () => countAccounts(tenant);
  if (sortBy === "mrr" || sortBy === "name") return scoresOfAll(tenant, { ...asked, sortBy }, total);
  return scores(tenant, asked, total);
}

const tierFields = {
  tier: accountHealth.tier,
  accounts: count(),
  mrr: sql<number>`sum(${accountHealth.mrr})`,
};
export type TierRow = Row<typeof tierFields>;
// Apart, for the accounts with a tier have an index of their own.
const ofTiers = sumsOf(isNotNull(accountHealth.tier));
const ofNoTier = sumsOf(isNull(accountHealth.tier));

function sumsOf(where: SQL) {
  return select({ fields: tierFields, from: accountHealth, where, groupBy: [accountHealth.tier] });
}

/** How many accounts each tier has, and their revenue, as they are now; without the tiers that have none. */
export async function summarizeHealth(tenant: Tenant): Promise<TierRow[]> {
  await catchUp(tenant);
  return [...(await tenant.rows.all(ofTiers, {})), ...(await tenant.rows.all(ofNoTier, {}))];
}
