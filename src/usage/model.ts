import { type Static, Type } from "@sinclair/typebox";
import { formatDay } from "../core/timestamps.ts";
import { integer, listOf, text } from "../http/shapes.ts";
import type { UsageDayRow } from "./store.ts";

const UsageDay = Type.Object(
  {
    day: text({ format: "date", description: "The UTC day", examples: ["2026-01-02"] }),
    event: text({ description: "What was done", examples: ["report.exported"] }),
    count: integer({ minimum: 1, description: "How often", examples: [12] }),
    users: integer({ minimum: 0, description: "By how many of the users that events name", examples: [3] }),
  },
  { $id: "UsageDay", description: "What an account did on a day: one event of it" },
);
export const UsagePage = listOf(UsageDay, "UsagePage");

export function presentUsageDay({ day, event, count, users }: UsageDayRow): Static<typeof UsageDay> {
  return { day: formatDay(day), event, count, users };
}
