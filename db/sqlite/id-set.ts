/** With a larger range of ids, a bit for each of them would take more than 8 MB. */
const maxRange = 1 << 26;

/**
 * Returns whether an id is among these, given by their number and a function. Ids of one organization are near each
 * other, so one bit for each id of their range is enough.
 */
export function idSet(count: number, idAt: (i: number) => number): (id: number) => boolean {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count; i += 1) {
    first = Math.min(first, idAt(i));
    last = Math.max(last, idAt(i));
  }
  if (last - first >= maxRange) {
    const ids = new Set(Array.from({ length: count }, (_, i) => idAt(i)));
    return (id) => ids.has(id);
  }
  const bits = new Uint8Array(count === 0 ? 0 : ((last - first) >> 3) + 1);
  for (let i = 0; i < count; i += 1) {
    const bit = idAt(i) - first;
    bits[bit >> 3] = (bits[bit >> 3] ?? 0) | (1 << (bit & 7));
  }
  return (id) =>
    id >= first && id <= last && ((bits[(id - first) >> 3] ?? 0) & (1 << ((id - first) & 7))) !== 0;
}
