/** What a byte of a JSON text outside of strings is: a space, the start of a token, or a part of a scalar. */
const [SPACE, OPEN, CLOSE, COLON, COMMA, STRING, SCALAR] = [0, 1, 2, 3, 4, 5, 6];
const kinds = new Uint8Array(256).fill(SCALAR);
for (const [characters, kind] of [
  [" \t\r\n", SPACE],
  ["{[", OPEN],
  ["}]", CLOSE],
  [":", COLON],
  [",", COMMA],
  ['"', STRING],
] as const)
  for (const byte of Buffer.from(characters)) kinds[byte] = kind ?? SCALAR;

/**
 * The depth of nesting and the number of values of a JSON text in UTF-8: objects, arrays and scalars, without the names
 * of members. For other bytes, values before the first error are counted.
 */
export function measureJson(bytes: Uint8Array): { depth: number; valueCount: number } {
  let depth = 0;
  let deepest = 0;
  let valueCount = 0;
  let previous = SPACE;
  for (let i = 0; i < bytes.length; i++) {
    const kind = kinds[bytes[i] ?? 0] ?? SCALAR;
    if (kind === SPACE) continue;
    if (kind === OPEN) deepest = Math.max(deepest, ++depth);
    else if (kind === CLOSE) depth--;
    else if (kind === STRING) i = endOfString(bytes, i);
    // The string before it is a name.
    else if (kind === COLON && previous === STRING) valueCount--;
    if (kind === OPEN || kind === STRING || (kind === SCALAR && previous !== SCALAR)) valueCount++;
    previous = kind;
  }
  return { depth: deepest, valueCount };
}

const quote = 0x22;
const backslash = 0x5c;

/** The index of the quote that ends the string which begins at `start`; the length of the text without one. */
function endOfString(bytes: Uint8Array, start: number): number {
  let i = start + 1;
  while (i < bytes.length && bytes[i] !== quote) i += bytes[i] === backslash ? 2 : 1;
  return i;
}

/**
 * The value of a member of a JSON object, if it is a text without escapes; otherwise an empty text. The rest of the
 * text is not parsed, and need not be JSON. The last of several members counts, as for JSON.parse.
 */
export function topLevelText(bytes: Uint8Array, name: string): string {
  const quotedName = Buffer.from(`"${name}"`);
  let found = "";
  let depth = 0;
  /** Whether the tokens before are the name, or the name and a colon. */
  let [isNamed, isValue] = [false, false];
  for (let i = 0; i < bytes.length; i++) {
    const kind = kinds[bytes[i] ?? 0];
    if (kind === SPACE) continue;
    if (kind === OPEN) depth++;
    else if (kind === CLOSE) depth--;
    if (kind !== STRING) {
      [isNamed, isValue] = [false, kind === COLON && isNamed];
      continue;
    }
    const end = endOfString(bytes, i);
    if (depth === 1) {
      const text = bytes.subarray(i, end + 1);
      if (isValue && end < bytes.length && !text.includes(backslash))
        found = decoder.decode(text.subarray(1, -1));
      [isNamed, isValue] = [!isValue && quotedName.equals(text), false];
    }
    i = end;
  }
  return found;
}

const decoder = new TextDecoder();
