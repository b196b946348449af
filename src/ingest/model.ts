import { Type } from "@sinclair/typebox";
import {
  documentedOnly,
  nullable,
  nullableText,
  nullableTimestamp,
  openObject,
  text,
} from "../http/validation/shapes.ts";
import { maxRequestItems } from "../shared/request-limits.ts";

const messageId = "01JGFJJZ000000000000000000";
const timestamp = "2026-01-02T03:04:05.000Z";
const writeKey = Type.Optional(text({ description: "The API key, if no header has it" }));

const members = {
  event: Type.Optional(text({ description: "The name of the event", examples: ["report.exported"] })),
  context: Type.Optional(
    nullable(
      Type.Object(
        { groupId: Type.Optional(text({ examples: ["acme"] })) },
        {
          additionalProperties: true,
          description:
            "Its `groupId` is the account's externalId; a `groupId` next to `context` is accepted too",
        },
      ),
    ),
  ),
  userId: Type.Optional(
    nullableText({ description: "The user's id. Default: `anonymousId`", examples: ["u7"] }),
  ),
  messageId: Type.Optional(
    nullableText({
      description: "A second event with this messageId within 35 days is a duplicate",
      examples: [messageId],
    }),
  ),
  timestamp: Type.Optional(nullableTimestamp("When the call occurred. Default: now")),
  sentAt: Type.Optional(nullableTimestamp("When the call was sent: corrects the clock of the sender")),
  properties: Type.Optional(nullable(openObject({ examples: [{ rows: 12 }] }))),
  traits: Type.Optional(
    nullable(
      openObject({
        description: "Of `identify` and `group`: read when the organization has traits on",
        examples: [{ name: "Acme", email: "ada@example.com" }],
      }),
    ),
  ),
};

const SegmentCall = Type.Object(
  {
    type: text({ description: "`track`, `identify`, `group` …", examples: ["track"] }),
    ...members,
  },
  { $id: "SegmentCall", additionalProperties: true, description: "A call as Segment's SDKs send it" },
);

const formsOfBody =
  "The body is JSON, also as `text/plain` or `application/x-www-form-urlencoded`. The key may be its field `writeKey` instead of a header; the body then has at most 512 KiB.";

export const SegmentBody = documentedOnly(
  Type.Object(
    {
      batch: Type.Array(SegmentCall, { maxItems: maxRequestItems }),
      sentAt: Type.Optional(nullableTimestamp("When the batch was sent: corrects the clock of the sender")),
      writeKey,
    },
    {
      $id: "SegmentCalls",
      additionalProperties: true,
      description: `A list of calls as Segment's SDKs send it. ${formsOfBody}`,
      examples: [
        {
          batch: [
            {
              type: "track",
              event: "report.exported",
              context: { groupId: "acme" },
              userId: "u7",
              messageId,
              timestamp,
              properties: { rows: 12 },
            },
          ],
        },
      ],
    },
  ),
);

/** One call; the path has its type. */
export const SegmentCallBody = documentedOnly(
  Type.Object(
    { ...members, writeKey },
    {
      $id: "SegmentSingleCall",
      additionalProperties: true,
      description: `A call as Segment's SDKs send it; the path has its type. ${formsOfBody}`,
      examples: [
        { event: "report.exported", context: { groupId: "acme" }, userId: "u7", messageId, timestamp },
      ],
    },
  ),
);
