import type { TSchema } from "@sinclair/typebox";
import type { JsonObject } from "../../shared/json.ts";
import { toJson } from "./operations.ts";

const headers = [
  ["webhook-id", "Identifies the delivery: equal for all attempts", "msg_3_17_mjwaidke"],
  ["webhook-timestamp", "When the attempt began, in seconds since 1970", "1767323045"],
  [
    "webhook-signature",
    "`v1,` and a signature (Standard Webhooks), separated by spaces: during a rotation one of each secret",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ],
] as const;

/** The section `webhooks` of the OpenAPI document: the request that the service sends to a webhook. */
export function describeWebhooks(change: TSchema): JsonObject {
  return {
    change: {
      post: {
        tags: ["Webhooks"],
        operationId: "receiveChange",
        summary: "Receive a change",
        description:
          "The request that the service sends for a change to a webhook with the format `accountd`. It is sent again until the status is 2xx, so that a receiver can get it twice.",
        security: [],
        parameters: headers.map(([name, description, example]) => ({
          ...{ name, in: "header", required: true, description },
          schema: { type: "string", examples: [example] },
        })),
        requestBody: { required: true, content: { "application/json": { schema: toJson(change) } } },
        responses: {
          "2XX": { description: "The change was received" },
          "410": { description: "No further changes are to be sent: the webhook is disabled" },
        },
      },
    },
  };
}
