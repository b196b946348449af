import { type Static, Type } from "@sinclair/typebox";
import { dayRangeParameters, readDayRange } from "../http/validation/day-range.ts";

const defaultDays = 90;

export const HealthHistoryQuery = Type.Object(dayRangeParameters(defaultDays), {
  additionalProperties: true,
});

/** The days of a query. Throws as `readDayRange`. */
export function readHistoryQuery(query: Static<typeof HealthHistoryQuery>, now: number) {
  return readDayRange(query, now, defaultDays);
}
