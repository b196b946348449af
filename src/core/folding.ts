/**
 * The form of a text in which letters that differ by case alone are equal, in NFC: Unicode's full case
 * folding (`CaseFolding.txt`, statuses C and F). Made here and not in SQL, whose folding is ASCII's or
 * differs between engines.
 *
 * Upper case first spells out what folds to several letters (ß, ﬁ); lower case before it takes the capital
 * ẞ there too. Two letters need more: final sigma is a sigma, and the dotless ı is no i. Cherokee folds to
 * its small letters here and to its capitals there, which makes the same letters equal.
 */
export function fold(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase();
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
