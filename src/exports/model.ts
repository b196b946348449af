import type { TUnsafe } from "@sinclair/typebox";
import { text } from "../http/validation/shapes.ts";
import { type ExportFormat, formatRows } from "./formats.ts";

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
  contactActivityAt: null,
  attributes: { plan: "pro" },
  createdAt: "2026-01-02T03:04:05.678Z",
  updatedAt: "2026-01-02T03:04:05.678Z",
};
const details = {
  csv: {
    $id: "AccountCsvReply",
    description:
      "RFC 4180, line feeds. The first line names the columns. `'` precedes a text that a spreadsheet would run as a formula",
  },
  jsonl: {
    $id: "AccountJsonLinesReply",
    description:
      'A JSON object on each line. With `end=true`, the end line `{"end":true,"rows":N}` follows: a reply without it is incomplete',
    examples: [formatRows("jsonl", [], [example])],
  },
};

/** The body of an export, which is a stream of text. */
export function exportReply(format: ExportFormat): TUnsafe<string> {
  return { ...text(details[format]), mediaType: mediaTypes[format] };
}
