const fold = (text: string) => ` ${text.toLowerCase().replaceAll(":", "")}`;

/** The entries whose label has the text at the beginning of a word. Colons do not count. */
export function matchingEntries<Entry extends { label: string }>(
  entries: readonly Entry[],
  search: string,
): Entry[] {
  const text = fold(search);
  return entries.filter(({ label }) => fold(label).includes(text));
}

/** The entry that is `step` after the one with this key; around the ends. */
export function entryAfter<Entry extends { key: string }>(
  entries: readonly Entry[],
  key: string | undefined,
  step: 1 | -1,
): Entry | undefined {
  const index = entries.findIndex((entry) => entry.key === key);
  return entries.at((index + step + entries.length) % Math.max(1, entries.length));
}
