/** A line of the palette. `detail` is next to its label. */
export type PaletteEntry = { key: string; label: string; detail?: string; run: () => void };
export type PaletteGroup = { label: string; entries: readonly PaletteEntry[] };

/** The entries whose label has the text at the beginning of a word. */
export function matchingEntries(entries: readonly PaletteEntry[], search: string): PaletteEntry[] {
  const text = ` ${search.toLowerCase()}`;
  return entries.filter(({ label }) => ` ${label.toLowerCase()}`.includes(text));
}

/** The entry that is `step` after the one with this key; around the ends. */
export function entryAfter(
  entries: readonly PaletteEntry[],
  key: string | undefined,
  step: 1 | -1,
): PaletteEntry | undefined {
  const index = entries.findIndex((entry) => entry.key === key);
  return entries.at((index + step + entries.length) % Math.max(1, entries.length));
}
