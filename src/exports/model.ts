import type { TUnsafe } from "@sinclair/typebox";
import { text } from "../http/shapes.ts";
import { columnsOf } from "./columns.ts";
import { type ExportFormat, escapeFormula, formatHeader, formatRows } from "./formats.ts";

export const mediaTypes: Record<ExportFormat, string> = {
  csv: "text/csv; charset=utf-8",
  jsonl: "application/jsonl",
};

const example = {
  id: 42,
  externalId: "acme",
  name: "Acme",
  mrr: 1250.5,
  status: "active",
  logoUrl: null,
  contactActivityAt: "2026-01-02T03:04:05.678Z",
  createdAt: "2026-01-02T03:04:05.678Z",
  updatedAt: "2026-01-02T03:04:05.678Z",
};
const descriptions: Record<ExportFormat, string> = {
  csv: `A line with the names of the columns, then a line for each account (RFC 4180, line feeds). A text that a spreadsheet would run as a formula begins with \`'\`: ${escapeFormula("=1+1")}`,
  jsonl: "A JSON object for each account, each on its own line",
};

/** The body of an export, which is a stream of text. */
export function exportReply(format: ExportFormat): TUnsafe<string> {
  const columns = columnsOf.accounts;
  return {
    ...text({
      description: descriptions[format],
      examples: [formatHeader(format, columns) + formatRows(format, columns, [example])],
    }),
    $id: format === "csv" ? "AccountCsvReply" : "AccountJsonLinesReply",
    mediaType: mediaTypes[format],
  };
}
