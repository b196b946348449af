import { type Static, Type } from "@sinclair/typebox";
import { dayRangeParameters, readDayRange } from "../http/validation/day-range.ts";
import { pageOf, pageParameters } from "../http/validation/list-shapes.ts";
import { text, wholeNumberParameter } from "../http/validation/shapes.ts";

const defaultDays = 30;
const defaultPageSize = 1_000;

const dayParameters = {
  ...dayRangeParameters(defaultDays),
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
        description: `Rows per page; ${defaultPageSize} if absent`,
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

/** The days and the page of a query. Throws as `readDayRange`. */
export function readUsageQuery(query: Static<typeof UsageQuery>, now: number) {
  const { event, pageSize = defaultPageSize, ...position } = query;
  // A cursor stays valid when the default range moves at midnight.
  const range = `${query.from ?? ""}/${query.to ?? ""}`;
  const days = readDayRange(query, now, defaultDays);
  return { ...days, range, ...pageOf({ ...position, pageSize }), ...(event !== undefined && { event }) };
}

/** The days, the event and the page of a query. Throws as `readDayRange`. */
export function readRankingQuery(query: Static<typeof UsageRankingQuery>, now: number) {
  return { ...readDayRange(query, now, defaultDays), ...pageOf(query), event: query.event ?? null };
}
