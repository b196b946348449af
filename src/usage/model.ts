import { type Static, Type } from "@sinclair/typebox";
import { formatDay } from "../core/timestamps.ts";
import { AnyPagination } from "../http/list-shapes.ts";
import { PendingEvents } from "../http/replies.ts";
import { integer, text } from "../http/shapes.ts";
import type { UsageDayRow } from "./store.ts";

const UsageDay = Type.Object(
  {
    day: text({ format: "date", description: "The UTC day", examples: ["2026-01-02"] }),
    event: text({ description: "The name of the event", examples: ["report.exported"] }),
    count: integer({ minimum: 1, description: "Number of events", examples: [12] }),
    users: integer({
      minimum: 0,
      description: "Number of users; events without a user are not included",
      examples: [3],
    }),
  },
  { $id: "UsageDay", description: "The usage of an account on a day: one event" },
);
export const UsagePage = Type.Object(
  { data: Type.Array(UsageDay), pagination: AnyPagination, pendingEvents: PendingEvents },
  { $id: "UsagePage" },
);

export function presentUsageDay({ day, event, count, users }: UsageDayRow): Static<typeof UsageDay> {
  return { day: formatDay(day), event, count, users };
}
