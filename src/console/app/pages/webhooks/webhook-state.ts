import type { components } from "../../../../../clients/typescript/src/schema.ts";
import { formatCount } from "../../format.ts";
import { webhooks as text } from "../../messages/messages.ts";

type WebhookState = "active" | "failing" | "paused" | "disabled";

/**
 * An active webhook is failing while deliveries that were not accepted are pending. A webhook that the service set to
 * inactive is disabled; a webhook that a user set to inactive is paused.
 */
export function stateOfWebhook({
  active,
  retryingCount,
  disabledReason,
}: Pick<components["schemas"]["Webhook"], "active" | "retryingCount" | "disabledReason">): WebhookState {
  if (active) return retryingCount > 0 ? "failing" : "active";
  return disabledReason === null ? "paused" : "disabled";
}

/** The host of a URL; a text that is not a URL is returned as it is. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

type Outcome = { responseStatus: number | null; error: string | null; durationMilliseconds: number | null };

/** The outcome of an attempt in words, such as "HTTP 503 · 12 ms"; undefined before the first attempt. */
export function textOfOutcome(outcome: Outcome): string | undefined {
  const { responseStatus, error, durationMilliseconds } = outcome;
  const errors: Readonly<Record<string, string>> = text.errors;
  const parts = [
    responseStatus !== null && text.http(responseStatus),
    // The error `status` repeats the status.
    error !== null && error !== "status" && (errors[error] ?? error),
    durationMilliseconds !== null && text.milliseconds(formatCount(durationMilliseconds)),
  ].filter((part) => part !== false);
  return parts.length > 0 ? parts.join(" · ") : undefined;
}
