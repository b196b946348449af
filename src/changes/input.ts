import { type Static, Type } from "@sinclair/typebox";
import { invalidParameter } from "../core/errors.ts";
import type { TimeRange } from "../core/lists/time-ranges.ts";
import { parseTimestamp } from "../core/timestamps.ts";
import { parameter } from "../http/validation/shapes.ts";

const changeTime = (description: string) =>
  parameter({ type: "string", format: "iso-8601", description, examples: ["2026-01-02T03:04:05.678Z"] });

export const ChangeSummaryQuery = Type.Object(
  {
    from: Type.Optional(
      changeTime("Only changes that were made at or after this time. Default: all that are stored"),
    ),
    to: Type.Optional(changeTime("Only changes that were made before this time. Default: all until now")),
  },
  { additionalProperties: true },
);

/** The range of a query that was validated. Throws `invalid_request` when `from` is after `to`. */
export function readChangeTimes(query: Static<typeof ChangeSummaryQuery>): TimeRange {
  const [from = null, to = null] = [query.from, query.to].map((text) =>
    text === undefined ? null : parseTimestamp(text),
  );
  if (from !== null && to !== null && from > to)
    throw invalidParameter("from", "after_to", "must not be after to");
  return { from, to };
}
