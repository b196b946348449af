import { type ChangeRow, readChange } from "../../changes/list.ts";
import { presentChange, presentCloudEvent } from "../../changes/present.ts";
import { presentSlackMessage } from "../../changes/slack-message.ts";
import type { Tenant } from "../../core/tenant/tenant.ts";
import type { WebhookRules } from "../send/address-rules.ts";
import { type AttemptResult, attempt } from "../send/attempt.ts";
import { signedHeaders } from "../send/signature.ts";
import { type DeliveredWebhook, readAccountName } from "./store.ts";

/** What is sent as JSON, with an id that is equal for all attempts to send it. */
type Message = { id: string; content: object };

/** The message of a change for a webhook. Undefined when the change is not stored any more. */
export async function messageOf(
  tenant: Tenant,
  { id, format }: Pick<DeliveredWebhook, "id" | "format">,
  sequence: number,
): Promise<Message | undefined> {
  const row = await tenant.readOne((snapshot) => readChange(snapshot, sequence));
  if (!row) return undefined;
  return {
    // The time: after a restore, another change may have the sequence number.
    id: `msg_${id}_${sequence}_${row.changedAt.toString(36)}`,
    content: await contentOf(tenant, format, row),
  };
}

async function contentOf(
  tenant: Tenant,
  format: DeliveredWebhook["format"],
  row: ChangeRow,
): Promise<object> {
  if (format === "accountd") return presentChange(row);
  if (format === "cloudevents") return presentCloudEvent(tenant.organizationId, row);
  const name = await tenant.readOne((snapshot) => readAccountName(snapshot, row.accountId));
  return presentSlackMessage(row, name);
}

/** Sends a message to a webhook once, signed with each secret that is valid at `now`. */
export function sendMessage(
  webhook: Pick<DeliveredWebhook, "url" | "format" | "secret" | "previousSecret" | "previousSecretExpiresAt">,
  { id, content }: Message,
  { now, rules, signal }: { now: number; rules: WebhookRules; signal: AbortSignal },
): Promise<AttemptResult> {
  const { url, format, secret, previousSecret, previousSecretExpiresAt } = webhook;
  const secrets =
    previousSecret !== null && (previousSecretExpiresAt ?? 0) > now ? [secret, previousSecret] : [secret];
  const contentType = format === "cloudevents" ? "application/cloudevents+json" : "application/json";
  const body = JSON.stringify(content);
  const headers = signedHeaders({ id, timestamp: now, body, contentType, secrets });
  return attempt({ url, headers, body, signal }, rules);
}
