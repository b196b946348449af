import { Type } from "@sinclair/typebox";
import { invalidParameter } from "../../core/errors.ts";
import { dayOf, parseTimestamp } from "../../core/timestamps.ts";
import { text } from "./shapes.ts";

const maxDays = 366;

/** The parameters of a range of UTC days, by default the last `defaultDays` ones. */
export function dayRangeParameters(defaultDays: number) {
  const description = `The first UTC day. Default: ${defaultDays - 1} days before \`to\``;
  return {
    from: Type.Optional(text({ format: "date", description })),
    to: Type.Optional(text({ format: "date", description: "The last UTC day. Default: today" })),
  };
}

/**
 * The range of a query, in days since 1970, both included. `now` is in milliseconds since 1970 UTC. Throws
 * `invalid_request` when `from` is after `to` or too long before it.
 */
export function readDayRange(
  query: { from?: string; to?: string },
  now: number,
  defaultDays: number,
): { from: number; to: number } {
  const to = parseDay(query.to) ?? dayOf(now);
  const from = parseDay(query.from) ?? to - defaultDays + 1;
  if (from > to) throw invalidParameter("from", "after_to", "must not be after to");
  if (to - from >= maxDays)
    throw invalidParameter("from", "range_too_long", `must be less than ${maxDays} days before to`);
  return { from, to };
}

function parseDay(text: string | undefined): number | undefined {
  const at = text === undefined ? undefined : parseTimestamp(text);
  return at === undefined ? undefined : dayOf(at);
}
