/** The tiers of scores from the best to the worst. An account without a score has none. */
export const healthTiers = ["healthy", "attention", "at_risk", "critical"] as const;
export type HealthTier = (typeof healthTiers)[number];
