/**
 * Case-folds a text by Unicode's full case folding (`CaseFolding.txt`, statuses C and F), in NFC. Not done in SQL:
 * SQLite folds ASCII only, and other engines fold differently.
 */
export function fold(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase();
  // `toUpperCase` expands ß and ﬁ to several letters; `toLowerCase` before it maps ẞ to ß. Exceptions: dotless ı does
  // not fold to i, and final sigma folds to sigma. Cherokee folds to small letters here and to capitals in Unicode's
  // table, which makes the same letters equal.
  return text
    .normalize("NFC")
    .split("ı")
    .map((part) => part.toLowerCase().toUpperCase().toLowerCase())
    .join("ı")
    .replaceAll("ς", "σ")
    .normalize("NFC");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant.
const isAscii = /^[\x00-\x7f]*$/;
