import { type Static, Type } from "@sinclair/typebox";
import { type RequestStatus, requestStatuses } from "../../db/schema.ts";
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

/** A request as the statement that embeds it lists its values. */
export type EmbeddedRequest = [
  id: number,
  title: string,
  status: RequestStatus,
  severity: number,
  requestedAt: number,
];

export function presentRequest([id, title, status, severity, requestedAt]: EmbeddedRequest): Static<
  typeof Request
> {
  return { id, title, status, severity, requestedAt: formatTimestamp(requestedAt) };
}
