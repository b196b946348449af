import type { components } from "../../../../../clients/typescript/src/schema.ts";
import { api } from "../../api.ts";

export type Webhook = components["schemas"]["Webhook"];
export type WebhookWithSecret = components["schemas"]["WebhookWithSecret"];
export type WebhookSettings = components["schemas"]["NewWebhook"];
export type WebhookDelivery = components["schemas"]["WebhookDelivery"];
export type WebhookTest = components["schemas"]["WebhookTest"];
export type DeliveryStatus = WebhookDelivery["status"];

const pathOf = (webhookId: number) => ({ params: { path: { webhookId } } });

/** All webhooks, at most 20, the oldest first. */
export async function readWebhooks(signal: AbortSignal): Promise<Webhook[]> {
  const query = { pageSize: 100 };
  return (await api.GET("/api/v1/webhooks", { params: { query }, signal })).data.data;
}

export async function readWebhook(id: number, signal: AbortSignal): Promise<Webhook> {
  return (await api.GET("/api/v1/webhooks/{webhookId}", { ...pathOf(id), signal })).data.data;
}

export async function createWebhook(body: WebhookSettings): Promise<WebhookWithSecret> {
  return (await api.POST("/api/v1/webhooks", { body })).data.data;
}

export async function changeWebhook(
  id: number,
  body: Partial<WebhookSettings> & { active?: boolean },
): Promise<void> {
  await api.PATCH("/api/v1/webhooks/{webhookId}", { ...pathOf(id), body });
}

export async function deleteWebhook(id: number): Promise<void> {
  await api.DELETE("/api/v1/webhooks/{webhookId}", pathOf(id));
}

export async function rotateSecret(id: number): Promise<WebhookWithSecret> {
  return (await api.POST("/api/v1/webhooks/{webhookId}/rotate", pathOf(id))).data.data;
}

export async function sendTest(id: number, signal: AbortSignal): Promise<WebhookTest> {
  return (await api.POST("/api/v1/webhooks/{webhookId}/test", { ...pathOf(id), signal })).data.data;
}

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

export async function retryDelivery(webhookId: number, deliveryId: number): Promise<void> {
  const params = { path: { webhookId, deliveryId } };
  await api.POST("/api/v1/webhooks/{webhookId}/deliveries/{deliveryId}/retry", { params });
}

/**
 * Delivers the changes since a time again, in the browser's time zone. Resolves with the sequence number before them; with
 * undefined when there are none.
 */
export async function replaySince(id: number, localTime: string): Promise<number | undefined> {
  const query = { from: new Date(localTime).toISOString() };
  const { data } = await api.GET("/api/v1/changes/summary", { params: { query } });
  const { firstSequence } = data.data;
  if (firstSequence === null) return undefined;
  const body = { after: firstSequence - 1 };
  await api.POST("/api/v1/webhooks/{webhookId}/replay", { ...pathOf(id), body });
  return body.after;
}
