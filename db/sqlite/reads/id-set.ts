/** With a larger range of ids, a bit for each of them would take more than 8 MB. */
const maxRange = 1 << 26;

/**
 * Returns whether an id is that of one of these rows. None is below `first` or above `last`. Ids of one organization are
 * near each other, so one bit for each id of the range is enough.
 */
export function idSet(
  rows: readonly number[],
  idOf: (row: number) => number,
  { first, last }: { first: number; last: number },
): (id: number) => boolean {
  if (last - first >= maxRange) {
    const ids = new Set(rows.map(idOf));
    return (id) => ids.has(id);
  }
  const bits = new Uint8Array(Math.max(0, ((last - first) >> 3) + 1));
  for (const row of rows) {
    const bit = idOf(row) - first;
    bits[bit >> 3] = (bits[bit >> 3] ?? 0) | (1 << (bit & 7));
  }
  return (id) =>
    id >= first && id <= last && ((bits[(id - first) >> 3] ?? 0) & (1 << ((id - first) & 7))) !== 0;
}
