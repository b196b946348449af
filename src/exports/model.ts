import type { TUnsafe } from "@sinclair/typebox";
import type { Included } from "../accounts/included.ts";
import { addIncluded } from "../accounts/model.ts";
import { presenterOf } from "../core/resource/field-columns.ts";
import { text } from "../http/validation/shapes.ts";
import { type FileRows, fieldsOf } from "../shared/resources.ts";
import { type ExportedRow, type ExportFormat, exportedNames, formatRows } from "./formats.ts";
import { mediaTypes } from "./media-types.ts";

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
      "RFC 4180, line feeds. The first line names the columns. Without `formulas=keep`, `'` precedes a text that a spreadsheet would run as a formula",
  },
  jsonl: {
    $id: "AccountJsonLinesReply",
    description:
      'A JSON object on each line. With `end=true`, the end line `{"end":true,"rows":N}` follows: a response without it is incomplete',
    examples: [formatRows({ format: "jsonl" }, [], [example])],
  },
};

/** Returns a function that presents a row as an export has it, with the members that are added to it. */
export function presenterOfExport(resource: FileRows): (row: object, added?: Included) => ExportedRow {
  const present =
    resource === "usage-days"
      ? (row: object) => row
      : presenterOf<object>(fieldsOf(resource), exportedNames(resource));
  // Safe: the members of a row are values and objects of values.
  return (row, added) => addIncluded(present(row), added) as ExportedRow;
}

export function exportReply(format: ExportFormat): TUnsafe<string> {
  return { ...text(details[format]), mediaTypes: mediaTypes[format] };
}

const exampleEvent = {
  id: 42,
  accountId: 7,
  externalId: null,
  messageId: "01JGFJJZ000000000000000000",
  event: "report.exported",
  timestamp: "2026-01-02T03:04:05.000Z",
  userId: "u7",
  properties: { rows: 12 },
  receivedAt: "2026-01-02T03:04:05.678Z",
};
export const eventsReply: TUnsafe<string> = {
  ...text({
    ...details.jsonl,
    $id: "EventJsonLinesReply",
    examples: [`${JSON.stringify(exampleEvent)}\n`],
  }),
  mediaTypes: mediaTypes.jsonl,
};
