import { count, eq, isNotNull, sql } from "drizzle-orm";
import { textInput } from "../../db/expressions.ts";
import { accounts, UNSCORED_RANK } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import { countAccounts } from "../accounts/counts.ts";
import { defineList, type Page } from "../core/list-query.ts";
import { notFound } from "../core/resource.ts";
import type { TenantSnapshot } from "../core/tenant.ts";
import { select } from "../core/tenant-statements.ts";
import { readFacts } from "./facts.ts";
import { computeHealth, type Health } from "./score.ts";

/** The account's health at a timestamp (milliseconds since 1970 UTC). Throws `not_found`. */
export async function getHealth(snapshot: TenantSnapshot, accountId: number, asOf: number): Promise<Health> {
  return computeHealth((await readFacts(snapshot, accountId, asOf)) ?? notFound("account", "id"), asOf);
}

const fields = {
  accountId: accounts.id,
  name: accounts.name,
  externalId: accounts.externalId,
  mrr: accounts.mrr,
  score: accounts.score,
  tier: accounts.tier,
  coverage: accounts.coverage,
};
export type HealthRow = Row<typeof fields>;

export const healthList = defineList({
  name: "scores.list",
  from: accounts,
  key: accounts.id,
  fields,
  sortBy: { score: accounts.rank, mrr: accounts.mrr, name: accounts.foldedName },
  defaultOrder: ["score", "asc"],
  filters: { tier: eq(accounts.tier, textInput("tier")) },
  indexed: { tier: [accounts.mrr, accounts.foldedName] },
});

/** A page of the organization's accounts with their stored scores. */
export function listHealth(
  snapshot: TenantSnapshot,
  query: Parameters<typeof healthList.read>[1],
): Promise<Page<HealthRow>> {
  return healthList.read(snapshot, query, () =>
    query.tier === undefined ? countAccounts(snapshot) : undefined,
  );
}

const tierFields = {
  tier: accounts.tier,
  accounts: count(),
  mrr: sql<number>`sum(${accounts.mrr})`,
};
export type TierRow = Row<typeof tierFields>;
const { statement: scanned } = select("scores.scanned", {
  fields: { id: accounts.id },
  from: accounts,
  paged: true,
});
// Two statements, so that each reads one index only. The literal rank lets SQLite read a range of its index.
const sumsOfTiers = select("scores.sumsOfTiers", {
  fields: tierFields,
  from: accounts,
  where: isNotNull(accounts.tier),
  groupBy: [accounts.tier],
  scanned,
});
const sumsOfUnscored = select("scores.sumsOfUnscored", {
  fields: { ...tierFields, tier: sql<null>`null` },
  from: accounts,
  where: eq(accounts.rank, sql.raw(String(UNSCORED_RANK))),
  // The rows are in the order of the rank already. To group by the tier, SQLite would sort them.
  groupBy: [accounts.rank],
  scanned,
});

/** The accounts and the revenue of each tier by the stored scores, without empty tiers. */
export async function summarizeHealth(snapshot: TenantSnapshot): Promise<TierRow[]> {
  const scored = await snapshot.all(sumsOfTiers, {});
  return [...scored, ...(await snapshot.all(sumsOfUnscored, {}))];
}
