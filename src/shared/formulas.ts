/**
 * A formula, or a text in quotes with blanks after them, which readers take for blanks around a field; perhaps escaped.
 */
const escaped = /^'*(?:[=+\-@\t\r]|".*"[ \t]+$)/s;

/**
 * A text that a spreadsheet would run as a formula gets a leading `'` (OWASP, "CSV Injection"), and so does one that
 * looks escaped already: an import takes exactly one away.
 */
export function escapeFormula(text: string): string {
  return escaped.test(text) ? `'${text}` : text;
}

/** The text that `escapeFormula` escaped. */
export function unescapeFormula(text: string): string {
  return text.startsWith("'") && escaped.test(text) ? text.slice(1) : text;
}
