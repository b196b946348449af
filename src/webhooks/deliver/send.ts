import { presentChange, presentCloudEvent } from "../../changes/present.ts";
import { presentSlackMessage } from "../../changes/slack-message.ts";
import type { Tenant } from "../../core/tenant/tenant.ts";
import type { WebhookRules } from "../send/address-rules.ts";
import { type AttemptResult, attempt } from "../send/attempt.ts";
import { signedHeaders } from "../send/signature.ts";
import { type DeliveredWebhook, type NamedChange, readChange } from "./store.ts";

/** A body, with an id that is equal for all attempts to send it. */
export type Message = { id: string; contentType: string; body: string };

/** The message of a change for a webhook. Undefined when the change is not stored any more. */
export async function messageOf(
  tenant: Tenant,
  { id, format }: Pick<DeliveredWebhook, "id" | "format">,
  sequence: number,
): Promise<Message | undefined> {
  const change = await tenant.read((snapshot) => readChange(snapshot, sequence));
  if (!change) return undefined;
  const { contentType, present } = formats[format];
  const body = JSON.stringify(present(tenant.organizationId, change));
  return { id: `msg_${id}_${sequence}`, contentType, body };
}

/** A body for each format of a webhook. */
const formats: Record<
  DeliveredWebhook["format"],
  { contentType: string; present: (organizationId: number, change: NamedChange) => object }
> = {
  accountd: { contentType: "application/json", present: (_, { row }) => presentChange(row) },
  cloudevents: {
    contentType: "application/cloudevents+json",
    present: (organizationId, { row }) => presentCloudEvent(organizationId, row),
  },
  slack: {
    contentType: "application/json",
    present: (_, { row, accountName }) => presentSlackMessage(row, accountName),
  },
};

/** Sends a message to a webhook once, signed with each secret that is valid at `now`. */
export function sendMessage(
  webhook: Pick<DeliveredWebhook, "url" | "secret" | "previousSecret" | "previousSecretExpiresAt">,
  message: Message,
  { now, rules, signal }: { now: number; rules: WebhookRules; signal: AbortSignal },
): Promise<AttemptResult> {
  const { url, secret, previousSecret, previousSecretExpiresAt } = webhook;
  const secrets =
    previousSecret !== null && (previousSecretExpiresAt ?? 0) > now ? [secret, previousSecret] : [secret];
  const headers = signedHeaders({ ...message, timestamp: now, secrets });
  return attempt({ url, headers, body: message.body, signal }, rules);
}
