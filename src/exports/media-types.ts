import type { ExportFormat } from "./formats.ts";

const jsonLines = "application/jsonl";
/** For clients that parse every type with the prefix `application/json` as one JSON. */
const newlineDelimited = "application/x-ndjson";

export const mediaTypes: Record<ExportFormat, readonly [string, ...string[]]> = {
  csv: ["text/csv; charset=utf-8"],
  jsonl: [jsonLines, newlineDelimited],
};

/** The media type of a reply: the first of the format, or `application/x-ndjson` where `Accept` prefers it by name. */
export function mediaTypeOf(format: ExportFormat, accept: string | null): string {
  const isPreferred = weightOf(newlineDelimited, accept) > weightOf(jsonLines, accept);
  return format === "jsonl" && isPreferred ? newlineDelimited : mediaTypes[format][0];
}

/** The weight of a media type that `Accept` names; 0 for another one (RFC 9110, 12.5.1). */
function weightOf(type: string, accept: string | null): number {
  const parts = (accept ?? "").toLowerCase().split(",");
  const range = parts.find((part) => part.split(";")[0]?.trim() === type);
  return range === undefined ? 0 : Number(/;\s*q=([\d.]+)/.exec(range)?.[1] ?? 1);
}
