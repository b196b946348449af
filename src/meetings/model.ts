import { type Static, Type } from "@sinclair/typebox";
import type { meetings } from "../../db/schema.ts";
import { integer, text, timestamp } from "../http/shapes.ts";
import { formatTimestamp } from "../timestamps.ts";

export const Meeting = Type.Object(
  {
    id: integer({ examples: [12] }),
    title: text({ examples: ["Quarterly review"] }),
    startAt: timestamp("When it begins"),
    endAt: timestamp("When it ends"),
  },
  { $id: "Meeting", description: "A meeting with the account" },
);

export type EmbeddedMeeting = Pick<typeof meetings.$inferSelect, "id" | "title" | "startAt" | "endAt">;

export function presentMeeting(row: EmbeddedMeeting): Static<typeof Meeting> {
  return {
    id: row.id,
    title: row.title,
    startAt: formatTimestamp(row.startAt),
    endAt: formatTimestamp(row.endAt),
  };
}
