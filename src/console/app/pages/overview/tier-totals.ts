import type { components } from "../../../../../clients/typescript/src/schema.ts";

/** The totals of a summary of health. */
type Totals = Pick<components["schemas"]["HealthSummary"], "tiers" | "statuses">;

/** The tiers of active and onboarding accounts: the others have no score, and bring no revenue. */
export function withoutFormer<Summary extends Totals>(summary: Summary): Summary {
  const former = summary.statuses.filter(({ status }) => status === "churned" || status === "inactive");
  const tiers = summary.tiers.map((row) => {
    if (row.tier !== null) return row;
    const accounts = former.reduce((rest, each) => rest - each.accounts, row.accounts);
    return { tier: null, accounts, mrr: former.reduce((rest, each) => rest - each.mrr, row.mrr) };
  });
  return { ...summary, tiers };
}
