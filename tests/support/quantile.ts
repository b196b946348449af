/** The quantile of the numbers for a share (0.5: the median), by nearest rank. Throws for an empty list. */
export function quantileOf(numbers: readonly number[], share: number): number {
  const quantile = numbers.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(numbers.length * share) - 1)];
  if (quantile === undefined) throw new Error("a quantile of an empty list");
  return quantile;
}
