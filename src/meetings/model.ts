import { type Static, Type } from "@sinclair/typebox";
import { formatTimestamp } from "../core/timestamps.ts";
import { externalId, integer, nullableText, text, timestamp } from "../http/validation/shapes.ts";
import type { MeetingRow } from "./store.ts";

const meeting = Type.Object({
  id: integer({ examples: [12] }),
  accountId: integer({ examples: [42] }),
  externalId: nullableText(externalId),
  title: text({ examples: ["Quarterly review"] }),
  startAt: timestamp("When the meeting begins", "2026-01-02T14:00:00.000Z"),
  endAt: timestamp("When the meeting ends; not before startAt", "2026-01-02T15:00:00.000Z"),
  createdAt: timestamp("When the meeting was created"),
  updatedAt: timestamp("When the meeting last changed; strictly increasing"),
});

/** A meeting as its own paths return it. */
export const Meeting = Type.Omit(meeting, [], { $id: "Meeting", description: "A meeting with an account" });
/** A meeting as its account embeds it. */
export const AccountMeeting = Type.Pick(meeting, ["id", "title", "startAt", "endAt"], {
  $id: "AccountMeeting",
  description: "A meeting with the account",
});

export function presentMeeting(row: MeetingRow): Static<typeof Meeting> {
  const { id, accountId, externalId, title, startAt, endAt, createdAt, updatedAt } = row;
  return {
    id,
    accountId,
    externalId,
    title,
    startAt: formatTimestamp(startAt),
    endAt: formatTimestamp(endAt),
    createdAt: formatTimestamp(createdAt),
    updatedAt: formatTimestamp(updatedAt),
  };
}

/** The values of a meeting in the JSON of `embeddedMeetings`. */
export type EmbeddedMeeting = [id: number, title: string, startAt: number, endAt: number];

export function presentEmbeddedMeeting([id, title, startAt, endAt]: EmbeddedMeeting): Static<
  typeof AccountMeeting
> {
  return { id, title, startAt: formatTimestamp(startAt), endAt: formatTimestamp(endAt) };
}
