import { type Static, Type } from "@sinclair/typebox";
import { externalIdFilter, listQuerySchema, searchFilter } from "../http/validation/list-shapes.ts";
import {
  accountReference,
  externalId,
  nullableText,
  text,
  titleConstraints,
} from "../http/validation/shapes.ts";
import { meetingList } from "./store.ts";

export const MeetingListQuery = listQuerySchema(meetingList, {
  search: Type.Optional(searchFilter("title")),
  externalId: Type.Optional(externalIdFilter("meeting")),
});
export type MeetingQuery = Static<typeof MeetingListQuery>;

const timestampMember = (description: string, example: string) =>
  text({
    format: "iso-8601",
    description: `${description}: ISO 8601, UTC without an offset`,
    examples: [example],
  });
const members = {
  title: text({ ...titleConstraints, examples: ["Quarterly review"] }),
  externalId: Type.Optional(
    nullableText({
      ...externalId,
      description: `${externalId.description}; null or an empty text means none`,
    }),
  ),
  startAt: timestampMember("Start", "2026-01-02T15:00:00+01:00"),
  endAt: timestampMember("End, not before startAt", "2026-01-02T16:00:00+01:00"),
};
const example = {
  title: "Quarterly review",
  startAt: "2026-01-02T15:00:00+01:00",
  endAt: "2026-01-02T16:00:00+01:00",
};
const options = { additionalProperties: true, examples: [example] };
const { externalId: _, ...putMembers } = members;

export const NewMeetingBody = Type.Object(members, { ...options, $id: "NewMeeting" });
export const MeetingChangesBody = Type.Partial(Type.Object(members), {
  ...options,
  $id: "MeetingChanges",
  description: "At least one member",
});
export const MeetingPutBody = Type.Partial(Type.Object({ ...accountReference, ...putMembers }), {
  ...options,
  $id: "MeetingPut",
  examples: [{ accountExternalId: "acme", ...example }],
});
