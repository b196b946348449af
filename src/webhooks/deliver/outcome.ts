import type { AttemptResult } from "../send/attempt.ts";
import { maxAttempts, retryTime } from "./schedule.ts";
import type { StoredResult } from "./store.ts";
import type { PendingDelivery } from "./window.ts";

const goneStatus = 410;

/** What an attempt of a delivery changes. `now`: its end in milliseconds since 1970 UTC. */
export function outcomeOf(
  { sequence, attempts: earlierAttempts }: PendingDelivery,
  result: AttemptResult,
  { webhookId, now }: { webhookId: number; now: number },
): StoredResult {
  const attempts = earlierAttempts + 1;
  const { isSuccess, body, error, milliseconds, retryAfterMilliseconds } = result;
  const nextAttemptAt = isSuccess ? undefined : retryTime({ attempts, now, retryAfterMilliseconds });
  const isLast = !isSuccess && nextAttemptAt === undefined;
  const unsuccessful = isLast ? "failed" : "pending";
  return {
    webhookId,
    sequence,
    earlierAttempts,
    status: isSuccess ? "delivered" : unsuccessful,
    attempts,
    nextAttemptAt: nextAttemptAt ?? null,
    attemptedAt: now,
    responseStatus: result.status,
    responseBody: body,
    error,
    durationMilliseconds: milliseconds,
    disabledReason: isSuccess ? null : disabledReasonOf(sequence, result, isLast),
  };
}

function disabledReasonOf(
  sequence: number,
  { status, error }: AttemptResult,
  isLast: boolean,
): string | null {
  if (status === goneStatus) return "The endpoint responded with 410 Gone.";
  if (!isLast) return null;
  const last = status === null ? error : `the status ${status}`;
  return `All ${maxAttempts} attempts of delivery ${sequence} failed, the last one with ${last}.`;
}

/** What is stored of a delivery whose change is not stored any more. */
export function expiredOutcome(
  { sequence, attempts }: PendingDelivery,
  { webhookId, now }: { webhookId: number; now: number },
): StoredResult {
  return {
    ...{ webhookId, sequence, earlierAttempts: attempts },
    ...{ status: "failed", attempts, nextAttemptAt: null, attemptedAt: now },
    ...{ responseStatus: null, responseBody: null, error: "change_expired", durationMilliseconds: null },
    disabledReason: null,
  };
}
