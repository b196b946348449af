import type { Engine } from "../../db/engine.ts";
import { EngineBusy } from "../../db/errors.ts";

/** Changes of one organization that wait. */
const maxWaitingCount = 100;

/** The last change of each organization that has any, and the number of its changes that run or wait. */
type Queues = Map<number, { last: Promise<unknown>; count: number }>;
const queuesOfEngines = new WeakMap<Engine, Queues>();

/**
 * Runs changes of many transactions one at a time for each organization and process, in the order of the calls. Throws
 * what `run` throws, and EngineBusy when too many wait.
 */
export async function runLongChange<T>(
  engine: Engine,
  organizationId: number,
  run: () => Promise<T>,
): Promise<T> {
  const queues: Queues = queuesOfEngines.get(engine) ?? new Map();
  queuesOfEngines.set(engine, queues);
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
