import { EngineBusy } from "../../db/errors.ts";

/** Changes of one organization that wait. */
const maxWaitingCount = 100;

/** The last change of each organization that has any, and the number of its changes that run or wait. */
const queues = new Map<number, { last: Promise<unknown>; count: number }>();

/**
 * Runs changes of many transactions one at a time for each organization and process, in the order of the calls. Throws
 * what `run` throws, and EngineBusy when too many wait.
 */
export async function runLongChange<T>(organizationId: number, run: () => Promise<T>): Promise<T> {
  const queue = queues.get(organizationId) ?? { last: Promise.resolve(), count: 0 };
  if (queue.count > maxWaitingCount) throw new EngineBusy("Too many long changes of the organization wait.");
  queues.set(organizationId, queue);
  queue.count += 1;
  const change = queue.last.then(run);
  queue.last = change.catch(() => {});
  try {
    return await change;
  } finally {
    queue.count -= 1;
    if (queue.count === 0) queues.delete(organizationId);
  }
}
