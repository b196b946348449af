import { type Static, Type } from "@sinclair/typebox";
import { presenterOf } from "../core/resource/field-columns.ts";
import { replyShapes } from "../http/resource/field-shapes.ts";
import { namesOf } from "../shared/fields/field.ts";
import { embeddedMeetingFields, meetingFields } from "../shared/fields/meetings.ts";

const names = namesOf(meetingFields);

/** A meeting as its own paths return it. */
export const Meeting = Type.Object(replyShapes(meetingFields, names), {
  $id: "Meeting",
  description: "A meeting with an account",
});
/** A meeting as its account embeds it. */
export const AccountMeeting = Type.Object(replyShapes(meetingFields, embeddedMeetingFields), {
  $id: "AccountMeeting",
  description: "A meeting with the account",
});

export const presentMeeting = presenterOf<Static<typeof Meeting>>(meetingFields, names);
