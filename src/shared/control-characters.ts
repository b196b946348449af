/**
 * Escapes the control characters of a text, except tabs and line feeds, and those that change the direction of text:
 * a terminal would obey a file's. Other escapes than `\x` are valid in JSON, which escapes the first 32 itself.
 */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    if (character === "\n" || character === "\t") return character;
    const hex = character.charCodeAt(0).toString(16);
    return character < " " ? `\\x${hex.padStart(2, "0")}` : `\\u${hex.padStart(4, "0")}`;
  });
}
