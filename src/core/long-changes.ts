import { Problem } from "./errors.ts";
import { WaitingRequests } from "./waiting-requests.ts";

const waiting = new WaitingRequests<{ organizationId: number }>(tooManyChanges);
/** The organizations whose changes run. */
const running = new Set<number>();

/**
 * Runs changes of many transactions one at a time for each organization and process, in the order of the calls. Throws
 * what `run` throws, and `too_busy` when too many wait, or this one for too long.
 */
export async function runLongChange<T>(organizationId: number, run: () => Promise<T>): Promise<T> {
  const started = waiting.wait({ organizationId });
  startNext();
  await started;
  try {
    return await run();
  } finally {
    running.delete(organizationId);
    startNext();
  }
}

/** Throws `too_busy` when too many long changes of the organization wait. */
export function assertRoomForLongChange(organizationId: number): void {
  waiting.assertRoom(organizationId);
}

function startNext(): void {
  waiting.startNext(({ organizationId }) => {
    if (running.has(organizationId)) return false;
    running.add(organizationId);
    return true;
  });
}

function tooManyChanges(): Problem {
  return new Problem("too_busy", {
    detail:
      "Too many erasures of your organization are waiting. Send the request again after the time in Retry-After.",
    headers: { "retry-after": "5" },
  });
}
