import type { components } from "../../../../../clients/typescript/src/schema.ts";
import { api } from "../../api.ts";
import { ReaderError } from "../../editing/form-problem.ts";
import { webhooks } from "../../messages/messages.ts";

export type Webhook = components["schemas"]["Webhook"];
export type WebhookWithSecret = components["schemas"]["WebhookWithSecret"];
export type WebhookSettings = components["schemas"]["NewWebhook"];
export type WebhookDelivery = components["schemas"]["WebhookDelivery"];
export type DeliveryStatus = WebhookDelivery["status"];

/** A page of the deliveries, the newest first. */
export async function readDeliveries(
  webhookId: number,
  query: { status?: DeliveryStatus; cursor: string; pageSize: number },
  signal: AbortSignal,
) {
  const params = { path: { webhookId }, query };
  return (await api.GET("/api/v1/webhooks/{webhookId}/deliveries", { params, signal })).data;
}

/** Of the 100 newest pending deliveries, the delivery with the latest attempt; undefined when none was attempted. */
export async function readLatestError(
  webhookId: number,
  signal: AbortSignal,
): Promise<WebhookDelivery | undefined> {
  const { data } = await readDeliveries(webhookId, { status: "pending", cursor: "", pageSize: 100 }, signal);
  return data
    .filter(({ attempts }) => attempts > 0)
    .toSorted((a, b) => (b.attemptedAt ?? "").localeCompare(a.attemptedAt ?? ""))[0];
}

/**
 * Delivers the changes since a time again, in the browser's time zone. Resolves with the sequence number before them;
 * throws `ReaderError` when there are none.
 */
export async function replaySince(webhookId: number, localTime: string): Promise<number> {
  const query = { from: new Date(localTime).toISOString() };
  const { data } = await api.GET("/api/v1/changes/summary", { params: { query } });
  const { firstSequence } = data.data;
  if (firstSequence === null) throw new ReaderError(webhooks.replay.none);
  const body = { after: firstSequence - 1 };
  await api.POST("/api/v1/webhooks/{webhookId}/replay", { params: { path: { webhookId } }, body });
  return body.after;
}
