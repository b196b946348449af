import { type Static, Type } from "@sinclair/typebox";
import { Problem, type ViolationCode } from "../core/errors.ts";
import { dayOf, parseTimestamp } from "../core/timestamps.ts";
import { pageOf, pageParameters } from "../http/list-shapes.ts";
import { text, wholeNumberParameter } from "../http/shapes.ts";

const maxDays = 366;
const defaultDays = 30;
const defaultPageSize = 1_000;

const dayParameters = {
  from: Type.Optional(
    text({ format: "date", description: "The first UTC day. Default: 29 days before `to`" }),
  ),
  to: Type.Optional(text({ format: "date", description: "The last UTC day. Default: today" })),
  event: Type.Optional(text({ maxLength: 128, description: "Only this event" })),
};

export const UsageQuery = Type.Object(
  {
    ...dayParameters,
    page: pageParameters.page,
    cursor: pageParameters.cursor,
    pageSize: Type.Optional(
      wholeNumberParameter({
        minimum: 1,
        maximum: defaultPageSize,
        default: defaultPageSize,
        description: "Rows per page",
      }),
    ),
  },
  { additionalProperties: true },
);

/** A ranking has no cursors: each page needs the sums of all accounts. */
export const UsageRankingQuery = Type.Object(
  { ...dayParameters, page: pageParameters.page, pageSize: pageParameters.pageSize },
  { additionalProperties: true },
);

/** The days and the page of a query. Throws `invalid_request` when `from` is after `to` or too long before it. */
export function readUsageQuery(query: Static<typeof UsageQuery>, now: number) {
  const { event, pageSize = defaultPageSize, ...position } = query;
  // A cursor stays valid when the default range moves at midnight.
  const range = `${query.from ?? ""}/${query.to ?? ""}`;
  const days = readDays(query, now);
  return { ...days, range, ...pageOf({ ...position, pageSize }), ...(event !== undefined && { event }) };
}

/** The days, the event and the page of a query. Throws as `readUsageQuery`. */
export function readRankingQuery(query: Static<typeof UsageRankingQuery>, now: number) {
  return { ...readDays(query, now), ...pageOf(query), event: query.event ?? null };
}

function readDays(query: { from?: string; to?: string }, now: number): { from: number; to: number } {
  const to = parseDay(query.to) ?? dayOf(now);
  const from = parseDay(query.from) ?? to - defaultDays + 1;
  if (from > to) throw invalidRange("after_to", "must not be after to");
  if (to - from >= maxDays)
    throw invalidRange("range_too_long", `must be less than ${maxDays} days before to`);
  return { from, to };
}

function parseDay(text: string | undefined): number | undefined {
  const at = text === undefined ? undefined : parseTimestamp(text);
  return at === undefined ? undefined : dayOf(at);
}

function invalidRange(code: ViolationCode, detail: string): Problem {
  return new Problem("invalid_request", { errors: [{ parameter: "from", code, detail }] });
}
