/** The last line of an export of JSON lines: no row is missing. An HTTP/1.0 client cannot see that a reply was cut. */
export function formatEndLine(rowCount: number): string {
  return `${JSON.stringify({ end: true, rows: rowCount })}\n`;
}

/** The number of rows in the last line of an export. Undefined for a row. */
export function rowCountOfEndLine(line: Readonly<Record<string, unknown>>): number | undefined {
  const { end, rows, ...others } = line;
  const isEndLine = end === true && typeof rows === "number" && Object.keys(others).length === 0;
  return isEndLine ? rows : undefined;
}
