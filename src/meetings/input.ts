import { Type } from "@sinclair/typebox";
import { subResourceBodies } from "../http/resource/field-shapes.ts";
import { externalIdFilter, listQuerySchema, searchFilter } from "../http/validation/list-shapes.ts";
import { meetingFields } from "../shared/fields/meetings.ts";
import { meetingList } from "./store.ts";

export const MeetingListQuery = listQuerySchema(meetingList, {
  search: Type.Optional(searchFilter("title")),
  externalId: Type.Optional(externalIdFilter("meeting")),
});

export const meetingBodies = subResourceBodies(meetingFields, {
  title: "Meeting",
  example: {
    title: "Quarterly review",
    startAt: "2026-01-02T15:00:00+01:00",
    endAt: "2026-01-02T16:00:00+01:00",
  },
});
