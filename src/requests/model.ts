import { type Static, Type } from "@sinclair/typebox";
import { requestStatuses, type requests } from "../../db/schema.ts";
import { choice, integer, text, timestamp } from "../http/shapes.ts";
import { formatTimestamp } from "../timestamps.ts";

export const Request = Type.Object(
  {
    id: integer({ examples: [3] }),
    title: text({ examples: ["Single sign-on"] }),
    status: choice(requestStatuses),
    severity: integer({ minimum: 1, maximum: 5, description: "From 1, slight, to 5, severe" }),
    requestedAt: timestamp("When it was made"),
  },
  { $id: "Request", description: "What the account asked for" },
);

export type EmbeddedRequest = Pick<
  typeof requests.$inferSelect,
  "id" | "title" | "status" | "severity" | "requestedAt"
>;

export function presentRequest(row: EmbeddedRequest): Static<typeof Request> {
  return {
    id: row.id,
    title: row.title,
    status: row.status,
    severity: row.severity,
    requestedAt: formatTimestamp(row.requestedAt),
  };
}
