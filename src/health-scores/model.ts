import { type Static, Type } from "@sinclair/typebox";
import { healthTiers } from "../../db/schema.ts";
import { formatNullable, formatTimestamp } from "../core/timestamps.ts";
import {
  choice,
  dataOf,
  integer,
  listOf,
  listQuerySchema,
  nullableText,
  nullableTimestamp,
  number,
  text,
  timestamp,
} from "../http/shapes.ts";
import { factorKeys, type Health } from "./score.ts";
import { type HealthRow, healthList, type TierRow } from "./store.ts";

export const HealthQuery = Type.Object(
  {
    asOf: Type.Optional(
      text({
        format: "iso-8601",
        description:
          "The moment to compute it for, ISO 8601, UTC without an offset, not in the future; now if left out",
        examples: ["2026-01-02T03:04:05.678Z"],
      }),
    ),
  },
  { additionalProperties: true },
);
export const HealthListQuery = listQuerySchema(healthList, {
  tier: Type.Optional(choice(healthTiers, { description: "Accounts in this tier alone" })),
});

const score = Type.Union([number({ minimum: 0, maximum: 100 }), Type.Null()], {
  description: "0 to 100, one decimal; null when too little is known, or the account is churned or inactive",
  examples: [92],
});
const tier = Type.Union([choice(healthTiers), Type.Null()], {
  description: "healthy from 80, attention from 60, at_risk from 40, critical below; null without a score",
  examples: ["healthy"],
});
const coverage = number({
  minimum: 0,
  maximum: 1,
  description: "The share of the weight that is known; below 0.3 there is no score",
  examples: [0.5],
});

const measured =
  "Days since the last contact activity or usage event; events of the last 14 days for each of the 14 before; severities of open requests, summed; meetings of 180 days; mean days to resolution of the requests resolved in 90. Cut off to two decimals";
const FactorShape = Type.Object(
  {
    key: choice(factorKeys, { description: "What is measured", examples: ["contactActivity"] }),
    value: number({ description: measured, examples: [1.5] }),
    score: integer({ minimum: 20, maximum: 100, description: "What that is worth", examples: [100] }),
    weight: integer({ minimum: 10, maximum: 30, description: "Of 100 for all factors", examples: [30] }),
    contribution: Type.Union([number(), Type.Null()], {
      description:
        "What of the score comes from it; the contributions sum to the score, and are null without one",
      examples: [60],
    }),
  },
  { $id: "HealthFactor", description: "One part of a score" },
);
const HealthShape = Type.Object(
  {
    score,
    tier,
    coverage,
    asOf: timestamp("The moment that it is computed for"),
    contactActivity: Type.Object(
      {
        at: nullableTimestamp("When; null when there was no activity", "2025-12-31T15:04:05.678Z"),
        source: nullableText({
          description: "`api`, a platform's name, or `event`; null when there was no activity",
          examples: ["vitally"],
        }),
      },
      { description: "The contact activity that counts, and who told of it" },
    ),
    factors: Type.Array(FactorShape, {
      description: "Those of which something is known",
      examples: [
        [
          { key: "contactActivity", value: 1.5, score: 100, weight: 30, contribution: 60 },
          { key: "usageRecency", value: 2.25, score: 80, weight: 20, contribution: 32 },
        ],
      ],
    }),
  },
  { $id: "AccountHealth", description: "How healthy an account is, and why" },
);
const ListedHealth = Type.Object(
  {
    accountId: integer({ examples: [42] }),
    name: text({ examples: ["Acme"] }),
    externalId: nullableText({ examples: ["acme"] }),
    mrr: number({ examples: [1250.5] }),
    score,
    tier,
    coverage,
  },
  { $id: "ListedHealth", description: "An account and how healthy it is" },
);
const TierSummary = Type.Object(
  {
    tier,
    accounts: integer({ minimum: 0, description: "How many have it", examples: [12] }),
    mrr: number({ description: "The sum of the accounts' mrr", examples: [15_006] }),
  },
  { $id: "TierSummary", description: "The accounts of a tier, or, with null, those without a score" },
);
const HealthSummary = Type.Object(
  {
    asOf: timestamp("The moment that it is computed for"),
    tiers: Type.Array(TierSummary, { description: "Each tier, then the accounts without a score" }),
  },
  { $id: "HealthSummary", description: "How healthy the organization's accounts are" },
);
export const HealthReply = dataOf(HealthShape, "AccountHealthReply");
export const HealthPage = listOf(ListedHealth, "HealthPage");
export const HealthSummaryReply = dataOf(HealthSummary, "HealthSummaryReply");

export function presentHealth(health: Health, asOf: number): Static<typeof HealthShape> {
  const { score, tier, coverage, contactActivity, factors } = health;
  const { at, source } = contactActivity;
  return {
    score,
    tier,
    coverage,
    asOf: formatTimestamp(asOf),
    contactActivity: { at: formatNullable(at), source },
    factors,
  };
}

export function presentListed(row: HealthRow): Static<typeof ListedHealth> {
  const { accountId, name, externalId, mrr, score, tier, coverage } = row;
  return { accountId, name, externalId, mrr, score, tier, coverage };
}

export function presentSummary(rows: TierRow[], asOf: number): Static<typeof HealthSummary> {
  const tiers = [...healthTiers, null].map((tier) => {
    const { accounts, mrr } = rows.find((row) => row.tier === tier) ?? { accounts: 0, mrr: 0 };
    return { tier, accounts, mrr: finite(mrr) };
  });
  return { asOf: formatTimestamp(asOf), tiers };
}

/** Sums of numbers that are near the largest there is can be larger: JSON has no such number, nor SQLite's null. */
function finite(sum: number | null): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, sum ?? 0));
}
