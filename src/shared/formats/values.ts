/** The texts that replace values of one column: by the value without case and blanks around it. */
export type ValueMap = ReadonlyMap<string, string>;

const pair = /\s*(?:"((?:[^"]|"")*)"|([^",=]*?))\s*=\s*(?:"((?:[^"]|"")*)"|([^",=]*?))\s*(?:,|$)/y;

/**
 * The pairs of a text such as `Cancelled=churned, trialing=onboarding`. A value with a comma or `=` is in quotes; a quote in
 * it is doubled. Undefined for another text. Without a target, the cell counts as empty.
 */
export function parseValueMap(text: string): ValueMap | undefined {
  const values = new Map<string, string>();
  pair.lastIndex = 0;
  while (pair.lastIndex < text.length) {
    const match = pair.exec(text);
    if (!match) return undefined;
    const [, quotedValue, value = "", quotedTarget, target = ""] = match;
    const key = keyOf(quotedValue === undefined ? value : unquote(quotedValue));
    if (key === "" || values.has(key)) return undefined;
    values.set(key, quotedTarget === undefined ? target : unquote(quotedTarget));
  }
  return values.size === 0 ? undefined : values;
}

/** The cell, or the text that replaces it. */
export function replaceValue(cell: string, values: ValueMap | undefined): string {
  return values?.get(keyOf(cell)) ?? cell;
}

function keyOf(value: string): string {
  return value.trim().toLowerCase();
}

function unquote(text: string): string {
  return text.replaceAll('""', '"');
}
