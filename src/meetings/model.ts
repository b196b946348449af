import { type Static, Type } from "@sinclair/typebox";
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

/** A meeting as the statement that embeds it lists its values. */
export type EmbeddedMeeting = [id: number, title: string, startAt: number, endAt: number];

export function presentMeeting([id, title, startAt, endAt]: EmbeddedMeeting): Static<typeof Meeting> {
  return { id, title, startAt: formatTimestamp(startAt), endAt: formatTimestamp(endAt) };
}
