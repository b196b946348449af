import { externalIdField, type ResourceFields, titleInput } from "./field.ts";

export const meetingFields = {
  id: { kind: "id", example: 12 },
  accountId: { kind: "id", example: 42 },
  externalId: { ...externalIdField, synonyms: ["meetingid", "eventid", "recordid", "id"] },
  title: {
    kind: "text",
    example: "Quarterly review",
    isSortable: true,
    synonyms: ["subject", "summary", "meetingname", "eventname"],
    input: titleInput,
  },
  startAt: {
    kind: "timestamp",
    description: "When the meeting begins",
    example: "2026-01-02T14:00:00.000Z",
    isFilterable: true,
    isSortable: true,
    hasTime: true,
    synonyms: ["start", "starttime", "startdatetime", "startdate&time"],
    input: {
      isRequired: true,
      description: "Start: ISO 8601, UTC without an offset",
      example: "2026-01-02T15:00:00+01:00",
    },
  },
  endAt: {
    kind: "timestamp",
    description: "When the meeting ends; not before startAt",
    example: "2026-01-02T15:00:00.000Z",
    isFilterable: true,
    isSortable: true,
    hasTime: true,
    synonyms: ["end", "endtime", "enddatetime", "enddate&time"],
    input: {
      isRequired: true,
      description: "End, not before startAt: ISO 8601, UTC without an offset",
      example: "2026-01-02T16:00:00+01:00",
    },
  },
  createdAt: { kind: "timestamp", description: "When the meeting was created", isSortable: true },
  updatedAt: {
    kind: "timestamp",
    description: "When the meeting last changed; strictly increasing",
    isFilterable: true,
    isSortable: true,
  },
} as const satisfies ResourceFields;

export const embeddedMeetingFields = ["id", "title", "startAt", "endAt"] as const;
