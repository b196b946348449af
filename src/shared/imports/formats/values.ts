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
    const key = valueKey(quotedValue === undefined ? value : unquote(quotedValue));
    if (key === "" || values.has(key)) return undefined;
    values.set(key, quotedTarget === undefined ? target : unquote(quotedTarget));
  }
  return values.size === 0 ? undefined : values;
}

export function replaceValue(cell: string, values: ValueMap | undefined): string {
  return values?.get(valueKey(cell)) ?? cell;
}

export function valueKey(value: string): string {
  return value.trim().toLowerCase();
}

/** A value as `parseValueMap` reads it. */
export function quoteValue(value: string): string {
  return /[",;=]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

function unquote(text: string): string {
  return text.replaceAll('""', '"');
}

/** What the values of a column are replaced by. The column has its name, or its position such as `#3`. */
export type ColumnValues = { column: string; values: ValueMap };

/**
 * The columns of a text such as `Status: Cancelled=churned; Priority: high=4, low=2`. A `;` in quotes is part of a value.
 * Undefined for another text.
 */
export function parseColumnValues(text: string): ColumnValues[] | undefined {
  const parts = text.match(/(?:"[^"]*"|[^";])+/g) ?? [];
  const columns: ColumnValues[] = [];
  for (const part of parts) {
    const [, column = "", pairs = ""] = /^([^:]*):(.*)$/s.exec(part) ?? [];
    const values = parseValueMap(pairs);
    if (column.trim() === "" || !values) return undefined;
    columns.push({ column: column.trim(), values });
  }
  return columns.length === 0 ? undefined : columns;
}
