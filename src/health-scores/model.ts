import { type Static, Type } from "@sinclair/typebox";
import { revenueOf } from "../account-counts/revenue.ts";
import { formatDay, formatNullable, formatTimestamp } from "../core/timestamps.ts";
import { PendingEvents } from "../http/replies/replies.ts";
import { dayRangeParameters, readDayRange } from "../http/validation/day-range.ts";
import { listOf, listQuerySchema, revenueShape } from "../http/validation/list-shapes.ts";
import {
  choice,
  dataOf,
  integer,
  nullable,
  nullableText,
  nullableTimestamp,
  number,
  text,
  timestamp,
} from "../http/validation/shapes.ts";
import { accountStatuses } from "../shared/fields/accounts.ts";
import { healthTiers } from "../shared/fields/tiers.ts";
import { factorKeys } from "../shared/health.ts";
import type { HealthDay } from "./history.ts";
import type { Health } from "./score.ts";
import { type HealthRow, type HealthTotals, healthList } from "./store.ts";

export const HealthQuery = Type.Object(
  {
    asOf: Type.Optional(
      text({
        format: "iso-8601",
        description:
          "The time to compute the score for, ISO 8601, UTC without an offset, not in the future, with the present settings. Default: now",
        examples: ["2026-01-02T03:04:05.678Z"],
      }),
    ),
  },
  { additionalProperties: true },
);
const defaultDays = 90;
export const HealthHistoryQuery = Type.Object(dayRangeParameters(defaultDays), {
  additionalProperties: true,
});
/** The days of a query. Throws as `readDayRange`. */
export function readHistoryQuery(query: Static<typeof HealthHistoryQuery>, now: number) {
  return readDayRange(query, now, defaultDays);
}
export const HealthListQuery = listQuerySchema(healthList.definition, {});

const score = Type.Union([number({ minimum: 0, maximum: 100 }), Type.Null()], {
  description:
    "0 to 100, with one decimal; null when `coverage` is below 0.3 or the account is churned or inactive",
  examples: [92],
});
const tier = Type.Union([choice(healthTiers), Type.Null()], {
  description:
    "By default healthy from 80, attention from 60, at_risk from 40, critical below; null without a score",
  examples: ["healthy"],
});
const coverage = number({
  minimum: 0,
  maximum: 1,
  description: "The share of the weight whose factors are known; below 0.3 there is no score",
  examples: [0.5],
});

const measured =
  "contactActivity and usageRecency: days since the last activity or event. usageTrend: events of the last 14 complete UTC days divided by the events of the 14 days before; 0 when the last event is before them. openRequests: the sum of the severities. meetings: the number in 180 days. requestResolution: mean days until requests became Done, in 90 days, and of the ages of open requests. Truncated to two decimals";
const FactorShape = Type.Object(
  {
    key: choice(factorKeys, { description: "The name of the factor", examples: ["contactActivity"] }),
    value: number({ description: measured, examples: [1.5] }),
    score: integer({ minimum: 20, maximum: 100, description: "The score of the value", examples: [100] }),
    weight: integer({
      minimum: 0,
      maximum: 100,
      description: "The weight; by default all factors have 100",
      examples: [30],
    }),
    contribution: Type.Union([number(), Type.Null()], {
      description: "The part of the score; the contributions add up to the score. Null without a score",
      examples: [60],
    }),
  },
  { $id: "HealthFactor", description: "One factor of a score" },
);
const HealthShape = Type.Object(
  {
    score,
    tier,
    coverage,
    asOf: timestamp("The time that the score is computed for"),
    contactActivity: Type.Object(
      {
        at: nullableTimestamp("Null when there was no activity", "2025-12-31T15:04:05.678Z"),
        source: nullableText({
          description: "`api`, a platform's name, `meeting` or `event`; null when there was no activity",
          examples: ["vitally"],
        }),
      },
      { description: "The last activity that the score uses, and its source" },
    ),
    pendingEvents: PendingEvents,
    factors: Type.Array(FactorShape, {
      description: "The known factors",
      examples: [
        [
          { key: "contactActivity", value: 1.5, score: 100, weight: 30, contribution: 60 },
          { key: "usageRecency", value: 2.25, score: 80, weight: 20, contribution: 32 },
        ],
      ],
    }),
  },
  { $id: "AccountHealth", description: "The health of an account, with its factors" },
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
    scoredAt: nullableTimestamp("When the score or the tier last changed; null before the first score"),
  },
  { $id: "ListedHealth", description: "An account and its stored score" },
);
export const TierSummary = Type.Object(
  { tier, ...revenueShape },
  { $id: "TierSummary", description: "The accounts of a tier; with null, the accounts without a score" },
);
const StatusSummary = Type.Object(
  { status: choice(accountStatuses, { examples: ["active"] }), ...revenueShape },
  { $id: "StatusSummary", description: "The accounts of a status" },
);
const HealthSummary = Type.Object(
  {
    asOf: timestamp("The time of the summary"),
    tiers: Type.Array(TierSummary, { description: "Each tier, then the accounts without a score" }),
    statuses: Type.Array(StatusSummary, { description: "Each status" }),
    distribution: Type.Array(integer({ minimum: 0 }), {
      minItems: 10,
      maxItems: 10,
      description: "Number of accounts with scores from 0 to 9.9, from 10 to 19.9, … and from 90 to 100",
      examples: [[0, 0, 1, 0, 4, 3, 9, 12, 20, 8]],
    }),
  },
  { $id: "HealthSummary", description: "The accounts of the organization by tier" },
);
const HealthDayShape = Type.Object(
  {
    day: text({ format: "date", description: "The UTC day", examples: ["2026-01-02"] }),
    score,
    tier,
  },
  { $id: "HealthDay", description: "The stored score of an account at the end of a day, or now" },
);
/** The health of an account, and when a contact of it was last active, as the account includes them. */
export const IncludedHealth = Type.Object(
  { score, tier, coverage },
  {
    $id: "IncludedHealth",
    description:
      "The health of the account: of one account as its health path computes it, in a list as it is stored",
  },
);
export const IncludedContactActivity = nullable(
  Type.Object(
    {
      at: timestamp("When a contact was last active"),
      source: text({ description: "`api`, a platform's name, `meeting` or `event`", examples: ["vitally"] }),
    },
    {
      $id: "IncludedContactActivity",
      description:
        "`contactActivityAt`, else the latest of platforms, meetings that have begun, and usage events; null when there was none",
    },
  ),
);
type IncludedScore = Pick<Health, "score" | "tier" | "coverage">;
/** The score of an account before or after a change of its tier. */
export const RecordedHealth = Type.Pick(HealthShape, ["tier", "score"], {
  $id: "RecordedHealth",
  description: "The tier of an account and its score",
});
export const HealthReply = dataOf(HealthShape, "AccountHealthReply");
export const HealthPage = listOf(ListedHealth, "HealthPage");
export const HealthHistoryReply = dataOf(
  Type.Array(HealthDayShape, { description: "One for each day from the first stored score on" }),
  "HealthHistoryReply",
);
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

export function presentScore({ score, tier, coverage }: IncludedScore): Static<typeof IncludedHealth> {
  return { score, tier, coverage };
}

export function presentActivity({
  at,
  source,
}: Health["contactActivity"]): Static<typeof IncludedContactActivity> {
  return at === null || source === null ? null : { at: formatTimestamp(at), source };
}

export function presentListed(row: HealthRow): Static<typeof ListedHealth> {
  const { accountId, name, externalId, mrr, score, tier, coverage, scoredAt } = row;
  return { accountId, name, externalId, mrr, score, tier, coverage, scoredAt: formatNullable(scoredAt) };
}

export function presentDay({ day, score, tier }: HealthDay): Static<typeof HealthDayShape> {
  return { day: formatDay(day), score, tier };
}

export function presentSummary(
  { byTier, byStatus, distribution }: HealthTotals,
  asOf: number,
): Static<typeof HealthSummary> {
  return {
    asOf: formatTimestamp(asOf),
    tiers: [...healthTiers, null].map((tier) => ({ tier, ...revenueOf(byTier.get(tier)) })),
    statuses: accountStatuses.map((status) => ({ status, ...revenueOf(byStatus.get(status)) })),
    distribution,
  };
}
