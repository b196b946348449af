import { type Static, Type } from "@sinclair/typebox";
import { deliveryStatuses } from "../../db/schema.ts";
import { ChangeType } from "../changes/model.ts";
import { NO_ACCOUNT } from "../core/changes/changes.ts";
import { parseStoredJson } from "../core/stored-json.ts";
import { formatNullable, formatTimestamp } from "../core/timestamps.ts";
import { cursorListOf, listOf } from "../http/validation/list-shapes.ts";
import {
  choice,
  dataOf,
  integer,
  nullable,
  nullableInteger,
  nullableText,
  nullableTimestamp,
  text,
  timestamp,
} from "../http/validation/shapes.ts";
import type { DeliveryRow } from "./deliveries.ts";
import { WebhookFormat, WebhookOrder } from "./input.ts";
import type { AttemptResult } from "./send/attempt.ts";
import type { WebhookRow } from "./store.ts";

const webhook = Type.Object({
  id: integer({ examples: [3] }),
  url: text({ description: "Where the changes are sent to", examples: ["https://example.com/changes"] }),
  types: nullable(
    Type.Array(ChangeType, {
      description: "The types of the changes to send; null: all",
      examples: [["account.created", "account.health_changed"]],
    }),
  ),
  description: nullableText({ description: "What the webhook is for", examples: ["CRM"] }),
  format: WebhookFormat,
  ordered: WebhookOrder,
  active: Type.Boolean({ description: "Whether changes are sent", examples: [true] }),
  position: integer({
    minimum: 0,
    description: "The `sequence` up to which each change to send has a delivery",
    examples: [17],
  }),
  pendingCount: integer({
    minimum: 0,
    description: "Number of pending deliveries. While there are 1,000, `position` does not advance",
    examples: [0],
  }),
  retryingCount: integer({
    minimum: 0,
    description: "Number of pending deliveries whose attempts have failed so far: the endpoint may be down",
    examples: [0],
  }),
  disabledReason: nullableText({
    description: "Why the service set `active` to false; null if it did not",
    examples: [null],
  }),
  disabledAt: nullableTimestamp("When the service set `active` to false"),
  previousSecretExpiresAt: nullableTimestamp(
    "Until when requests are also signed with the secret before the last rotation; null without one",
  ),
  createdAt: timestamp("When the webhook was created"),
  updatedAt: timestamp("When the webhook was last changed"),
});
const WebhookShape = Type.Omit(webhook, [], {
  $id: "Webhook",
  description: "An endpoint that changes are sent to",
});
const WebhookWithSecret = Type.Object(
  {
    ...webhook.properties,
    secret: Type.Optional(
      text({
        description:
          "Verifies the signatures (Standard Webhooks). It is in this response only, and not in a replay or a dry run of it",
        examples: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="],
      }),
    ),
  },
  { $id: "WebhookWithSecret", description: "A webhook with its new secret" },
);
/** A webhook with its new secret, which is absent in a replay and in a dry run. */
export type ReturnedWebhook = Static<typeof WebhookWithSecret>;
export const WebhookPage = listOf(WebhookShape, "WebhookPage");
export const WebhookReply = dataOf(WebhookShape, "WebhookReply");
export const WebhookWithSecretReply = dataOf(WebhookWithSecret, "WebhookWithSecretReply");

const responseFields = {
  responseStatus: nullableInteger({
    description: "The status of the response to the last attempt; null without one",
    examples: [503],
  }),
  responseBody: nullableText({
    description: "The first 1,024 characters of the response; null without one, and after an erasure",
    examples: ["busy"],
  }),
  error: nullableText({
    description:
      "Why the last attempt failed, such as `status`, `timeout`, `connection_refused`, `tls_failed`, `name_not_found`, `address_not_allowed` or `redirect`; null if it did not",
    examples: ["status"],
  }),
  durationMilliseconds: nullableInteger({ description: "The time of the last attempt", examples: [120] }),
};
const DeliveryShape = Type.Object(
  {
    id: integer({ description: "Equals `sequence`", examples: [17] }),
    sequence: integer({ description: "The `sequence` of the change", examples: [17] }),
    type: nullableText({
      description: "The `type` of the change; null when the change is no longer stored",
      examples: ["account.updated"],
    }),
    accountId: nullableInteger({ description: "The `accountId` of the change", examples: [42] }),
    status: choice(deliveryStatuses, {
      description: "`pending`: it will be attempted; `delivered`: the response was 2xx; `failed`: it was not",
      examples: ["pending"],
    }),
    attempts: integer({ minimum: 0, description: "Number of attempts", examples: [1] }),
    nextAttemptAt: nullableTimestamp("When a pending delivery is due"),
    attemptedAt: nullableTimestamp("When the last attempt ended"),
    ...responseFields,
    createdAt: timestamp("When the delivery was created"),
  },
  { $id: "WebhookDelivery", description: "A change that is sent, or was sent, to a webhook" },
);
export const DeliveryPage = cursorListOf(DeliveryShape, "WebhookDeliveryPage");
export const DeliveryReply = dataOf(DeliveryShape, "WebhookDeliveryReply");
const WebhookTest = Type.Object(
  {
    status: choice(["delivered", "failed"], {
      description: "Whether the response was 2xx",
      examples: ["delivered"],
    }),
    ...responseFields,
  },
  { $id: "WebhookTest", description: "The outcome of a test" },
);
export const WebhookTestReply = dataOf(WebhookTest, "WebhookTestReply");

export function presentWebhook(row: WebhookRow): Static<typeof WebhookShape> {
  return {
    id: row.id,
    url: row.url,
    // Safe: `input.ts` writes a list of types.
    types: row.types === null ? null : (parseStoredJson(row.types) as string[]),
    description: row.description,
    format: row.format,
    ordered: row.ordered,
    active: row.active === 1,
    position: row.position,
    pendingCount: row.pendingCount,
    retryingCount: row.retryingCount,
    disabledReason: row.disabledReason,
    disabledAt: formatNullable(row.disabledAt),
    previousSecretExpiresAt: formatNullable(row.previousSecretExpiresAt),
    createdAt: formatTimestamp(row.createdAt),
    updatedAt: formatTimestamp(row.updatedAt),
  };
}

export function presentTest({
  isSuccess,
  status,
  body,
  error,
  milliseconds,
}: AttemptResult): Static<typeof WebhookTest> {
  return {
    status: isSuccess ? "delivered" : "failed",
    responseStatus: status,
    responseBody: body,
    error,
    durationMilliseconds: milliseconds,
  };
}

export function presentDelivery(row: DeliveryRow): Static<typeof DeliveryShape> {
  const { sequence, accountId } = row;
  return {
    id: sequence,
    ...row,
    accountId: accountId === NO_ACCOUNT ? null : accountId,
    nextAttemptAt: formatNullable(row.nextAttemptAt),
    attemptedAt: formatNullable(row.attemptedAt),
    createdAt: formatTimestamp(row.createdAt),
  };
}
