/** The value that this share of the numbers (0.5: half of them) does not exceed, by nearest rank. Throws when there are none. */
export function quantileOf(numbers: readonly number[], share: number): number {
  const found = numbers.toSorted((one, other) => one - other)[
    Math.max(0, Math.ceil(numbers.length * share) - 1)
  ];
  if (found === undefined) throw new Error("there is nothing measured");
  return found;
}
