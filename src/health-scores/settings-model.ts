import { type Static, Type } from "@sinclair/typebox";
import { revenueOf } from "../account-counts/revenue.ts";
import { type FieldViolation, Problem } from "../core/errors.ts";
import { dataOf, integer, number } from "../http/validation/shapes.ts";
import {
  defaultHealthSettings,
  type FactorKey,
  factorKeys,
  type HealthSettings,
  isLargerBetter,
  totalWeightOf,
} from "../shared/health.ts";
import { TierSummary } from "./model.ts";
import type { Preview } from "./preview.ts";

/** Enough for any number of days, severities or meetings; ratios have three decimals, which compare exactly. */
const maxThreshold = 10_000;
const { meetings: exampleFactor } = defaultHealthSettings.factors;
const FactorSettingsShape = Type.Object(
  {
    enabled: Type.Boolean({ description: "Whether the factor counts", examples: [exampleFactor.enabled] }),
    weight: integer({
      minimum: 0,
      maximum: 100,
      description: "The weight",
      examples: [exampleFactor.weight],
    }),
    thresholds: Type.Array(number({ minimum: 0, maximum: maxThreshold }), {
      minItems: 4,
      maxItems: 4,
      description:
        "The limits of the scores 100, 80, 60 and 40, in the unit of the factor's value; strictly falling for usageTrend and meetings, strictly rising for the others",
      examples: [[...exampleFactor.thresholds]],
    }),
  },
  { $id: "FactorSettings", additionalProperties: true, description: "How a factor counts" },
);
const factors = Object.fromEntries(factorKeys.map((key) => [key, FactorSettingsShape]));
// Safe: the same shape for each key.
const FactorsShape = Type.Object(factors as Record<FactorKey, typeof FactorSettingsShape>, {
  additionalProperties: true,
});
const lowest = number({ minimum: 0, maximum: 100 });
export const HealthSettingsShape = Type.Object(
  {
    factors: FactorsShape,
    tiers: Type.Object(
      { healthy: lowest, attention: lowest, at_risk: lowest },
      {
        additionalProperties: true,
        description: "The lowest score of each tier, strictly falling; lower scores are critical",
      },
    ),
  },
  {
    $id: "HealthSettings",
    additionalProperties: true,
    description: "How scores are computed",
    examples: [defaultHealthSettings],
  },
);
export const HealthSettingsReply = dataOf(HealthSettingsShape, "HealthSettingsReply");
const PreviewShape = Type.Object(
  {
    tiers: Type.Array(TierSummary, { description: "Each tier, then the accounts without a score" }),
    sampled: Type.Optional(
      integer({
        minimum: 1,
        description:
          "The number of accounts that the preview is computed from, evenly by id, when there are more than 2,000",
        examples: [2_000],
      }),
    ),
  },
  { $id: "HealthPreview", description: "The tiers of all accounts with other settings" },
);
export const HealthPreviewReply = dataOf(PreviewShape, "HealthPreviewReply");

/** The settings of a body that its schema accepts. Throws `invalid_request` for numbers in a wrong order. */
export function readHealthSettings(body: Static<typeof HealthSettingsShape>): HealthSettings {
  const errors = violationsOf(body);
  if (errors.length > 0) throw new Problem("invalid_request", { errors });
  const { healthy, attention, at_risk } = body.tiers;
  const factors = factorKeys.map((key) => {
    const { enabled, weight, thresholds } = body.factors[key];
    return [key, { enabled, weight, thresholds }];
  });
  // Safe: every key has an entry.
  return { factors: Object.fromEntries(factors), tiers: { healthy, attention, at_risk } } as HealthSettings;
}

function violationsOf(settings: HealthSettings): FieldViolation[] {
  const ofFactors = factorKeys.flatMap((key) => thresholdViolations(key, settings.factors[key].thresholds));
  const { healthy, attention, at_risk } = settings.tiers;
  const ofTiers = [
    ...(attention < healthy ? [] : [outOfRange("/tiers/attention", "must be less than healthy")]),
    ...(at_risk < attention ? [] : [outOfRange("/tiers/at_risk", "must be less than attention")]),
  ];
  const ofWeights =
    totalWeightOf(settings) > 0
      ? []
      : [outOfRange("/factors", "must have an enabled factor with a weight above 0")];
  return [...ofFactors, ...ofTiers, ...ofWeights];
}

function thresholdViolations(key: FactorKey, thresholds: readonly number[]): FieldViolation[] {
  const isFalling = isLargerBetter(key);
  return thresholds.flatMap((threshold, i) => {
    const pointer = `/factors/${key}/thresholds/${i}`;
    if (Math.abs(threshold * 1000 - Math.round(threshold * 1000)) > 1e-6)
      return [outOfRange(pointer, "must have at most 3 decimals")];
    const before = thresholds[i - 1];
    if (before === undefined || (isFalling ? threshold < before : threshold > before)) return [];
    return [outOfRange(pointer, `must be ${isFalling ? "less" : "greater"} than the one before it`)];
  });
}

function outOfRange(pointer: string, detail: string): FieldViolation {
  return { pointer, code: "out_of_range", detail };
}

export function presentPreview({ byTier, sampled }: Preview): Static<typeof PreviewShape> {
  return { tiers: byTier.map(({ tier, ...sum }) => ({ tier, ...revenueOf(sum) })), ...sampled };
}
