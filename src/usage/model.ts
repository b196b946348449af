import { type Static, Type } from "@sinclair/typebox";
import { integer, Pagination, text } from "../http/shapes.ts";
import { formatDay } from "../timestamps.ts";
import type { UsageDay as UsageDayRow } from "./store.ts";

const UsageDay = Type.Object(
  {
    day: text({ format: "date", description: "The UTC day", examples: ["2026-01-02"] }),
    event: text({ examples: ["report.exported"] }),
    count: integer({ minimum: 1, description: "Events" }),
    users: integer({ minimum: 0, description: "Distinct users among those that events name" }),
  },
  { $id: "UsageDay", description: "What an account did on a day" },
);
export const UsagePage = Type.Object(
  { data: Type.Array(UsageDay), pagination: Pagination },
  { $id: "UsagePage" },
);

export function presentUsageDay({ day, event, count, users }: UsageDayRow): Static<typeof UsageDay> {
  return { day: formatDay(day), event, count, users };
}
