/** The depth of nesting of a JSON text. The depth of other text has no meaning. */
export function depthOf(text: string): number {
  return measureJson(text).depth;
}

/** The depth of nesting of a JSON text, and about the number of its values. Those of other text have no meaning. */
export function measureJson(text: string): { depth: number; valueCount: number } {
  let depth = 0;
  let deepest = 0;
  let valueCount = 1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) i = endOfString(text, i);
    else if (code === openBrace || code === openBracket) {
      deepest = Math.max(deepest, ++depth);
      valueCount += 1;
    } else if (code === closeBrace || code === closeBracket) depth--;
    else if (code === comma) valueCount += 1;
  }
  return { depth: deepest, valueCount };
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** The index of the quote that ends the string which begins at `start`; the length of the text without one. */
export function endOfString(text: string, start: number): number {
  for (let from = start + 1; ; ) {
    const end = text.indexOf('"', from);
    if (end === -1) return text.length;
    let escapes = end;
    while (escapes > from && text.charCodeAt(escapes - 1) === backslash) escapes -= 1;
    // An even number of backslashes are escaped backslashes.
    if ((end - escapes) % 2 === 0) return end;
    from = end + 1;
  }
}

/**
 * The value of a member of a JSON object, if it is a text without escapes; otherwise an empty text. The rest of the
 * text is not parsed, and need not be JSON. The last of several members counts, as for JSON.parse.
 */
export function topLevelText(text: string, name: string): string {
  const member = new RegExp(`"${name}"[ \\t\\r\\n]*:[ \\t\\r\\n]*"([^"\\\\]*)"`, "y");
  let depth = 0;
  let found = "";
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) {
      member.lastIndex = i;
      const match = depth === 1 ? member.exec(text) : null;
      if (match) found = match[1] ?? "";
      i = match ? member.lastIndex - 1 : endOfString(text, i);
    } else if (code === openBrace || code === openBracket) depth++;
    else if (code === closeBrace || code === closeBracket) depth--;
  }
  return found;
}
