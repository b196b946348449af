import { formatCount } from "../../format.ts";
import { messages } from "../../messages/messages.ts";

const text = messages.webhooks;

export type WebhookState = "active" | "paused" | "disabled";

/** A webhook that the service set to inactive is disabled; one that somebody did is paused. */
export function stateOfWebhook({
  active,
  disabledReason,
}: {
  active: boolean;
  disabledReason: string | null;
}): WebhookState {
  if (active) return "active";
  return disabledReason === null ? "paused" : "disabled";
}

type Outcome = { responseStatus: number | null; error: string | null; durationMilliseconds: number | null };

/** The outcome of an attempt in words, such as "HTTP 503 · 12 ms"; undefined before the first attempt. */
export function textOfOutcome(outcome: Outcome): string | undefined {
  const { responseStatus, error, durationMilliseconds } = outcome;
  const errors: Readonly<Record<string, string>> = text.errors;
  const parts = [
    responseStatus !== null && text.http(responseStatus),
    // The error `status` is that of the status.
    error !== null && error !== "status" && (errors[error] ?? error),
    durationMilliseconds !== null && text.milliseconds(formatCount(durationMilliseconds)),
  ].filter((part) => part !== false);
  return parts.length > 0 ? parts.join(" · ") : undefined;
}
