/** `part` of `total`, from 0 to 1; 0 of nothing. Negative revenue counts as 0. */
export function shareOf(part: number, total: number): number {
  return total > 0 ? Math.max(0, part) / total : 0;
}
