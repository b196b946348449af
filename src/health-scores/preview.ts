import { accounts, MRR_SCALE } from "../../db/schema.ts";
import { countAccounts } from "../account-counts/counts.ts";
import { writeBatchSize } from "../core/pauses.ts";
import { isSampled, select } from "../core/tenant/statements.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";
import { type HealthTier, healthTiers } from "../shared/fields/tiers.ts";
import type { HealthSettings } from "../shared/health.ts";
import { readFacts } from "./facts.ts";
import { computeHealth } from "./score.ts";
import { readSettings } from "./settings.ts";

/** Of more accounts a sample is computed: the facts of an account take as long as many rows of a list. */
const maxPreviewed = 2_000;

const fields = { id: accounts.id, mrr: accounts.mrr };
const sample = select("healthPreview.sample", {
  fields,
  from: accounts,
  where: isSampled({ from: accounts, key: accounts.id }),
});

/** Each tier, then the accounts without a score. `sampled`: the number of accounts that were computed, unless all were. */
export type Preview = {
  byTier: { tier: HealthTier | null; accounts: number; scaledMrr: number }[];
  sampled: { sampled: number } | undefined;
};

/** The tiers of all accounts as they would be with other settings, computed from all or from 1,000 to 2,000 of them. */
export async function previewHealth(snapshot: TenantSnapshot, settings: HealthSettings): Promise<Preview> {
  const count = await countAccounts(snapshot);
  const rules = await readSettings(snapshot);
  const sampled = await snapshot.all(sample, { step: Math.max(1, Math.ceil(count / maxPreviewed)) });
  const factor = sampled.length === 0 ? 0 : count / sampled.length;
  const sums = new Map<HealthTier | null, { accounts: number; scaledMrr: number }>();
  for (let i = 0; i < sampled.length; i += writeBatchSize) {
    const part = sampled.slice(i, i + writeBatchSize);
    const found = await readFacts(
      snapshot,
      part.map(({ id }) => id),
      snapshot.now,
    );
    for (const { id, mrr } of part) {
      const facts = found.get(id)?.facts;
      if (!facts) continue;
      const { tier } = computeHealth(facts, snapshot.now, { ...rules, settings });
      const sum = sums.get(tier) ?? { accounts: 0, scaledMrr: 0 };
      sums.set(tier, { accounts: sum.accounts + 1, scaledMrr: sum.scaledMrr + mrr / MRR_SCALE });
    }
  }
  const byTier = [...healthTiers, null].map((tier) => {
    const { accounts, scaledMrr } = sums.get(tier) ?? { accounts: 0, scaledMrr: 0 };
    return { tier, accounts: Math.round(accounts * factor), scaledMrr: scaledMrr * factor };
  });
  return { byTier, sampled: sampled.length < count ? { sampled: sampled.length } : undefined };
}
