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

/**
 * The form in which equal e-mail addresses are the same text: NFC in lower case (the local part may be international,
 * RFC 6531), the domain in its ASCII form (UTS #46, as in URLs). Without a domain that has such a form: the text in NFC
 * and lower case.
 */
export function foldAddress(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase();
  const domainStart = text.lastIndexOf("@") + 1;
  const domain = domainStart === 0 ? "" : asciiDomain(text.slice(domainStart));
  return domain === "" ? lowerCase(text) : lowerCase(text.slice(0, domainStart)) + domain;
}

/** Folds a part of an address twice: as part of a local part, and with whole labels of a domain. */
export function foldAddressPart(text: string): { local: string; domain: string } {
  const folded = foldAddress(text);
  return { local: lowerCase(text), domain: text.includes("@") ? folded : asciiDomain(text) || folded };
}

/** Empty for a text without an ASCII form. */
function asciiDomain(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase();
  // `domainToASCII` parses a URL: other ASCII characters end the domain or are decoded.
  if (!/^[\w.\-\u0080-\uffff]+$/.test(text)) return "";
  // An import of the module would slow down every start.
  return process.getBuiltinModule("node:url").domainToASCII(text);
}

function lowerCase(text: string): string {
  return text.normalize("NFC").toLowerCase().normalize("NFC");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant.
const isAscii = /^[\x00-\x7f]*$/;
