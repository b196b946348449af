import { maxRetryMilliseconds } from "./schedule.ts";

/** A change that is not delivered yet. Times are milliseconds since 1970 UTC. */
export type PendingDelivery = {
  sequence: number;
  accountId: number;
  attempts: number;
  nextAttemptAt: number;
};
type Attempted = { attempts: number; nextAttemptAt: number | null };
/** Deliveries that are attempted one after another, in the order of their sequence numbers. */
type DeliveryQueue = { deliveries: PendingDelivery[]; isRunning: boolean };

/** A strict webhook has one queue for all accounts. */
const STRICT_QUEUE = 0;

/** The pending deliveries of one webhook: a queue for each account. */
export class DeliveryWindow {
  readonly #isStrict: boolean;
  readonly #queues = new Map<number, DeliveryQueue>();
  #size = 0;

  constructor(isStrict: boolean) {
    this.#isStrict = isStrict;
  }

  /** The number of pending deliveries, the running ones included. */
  get size(): number {
    return this.#size;
  }

  /** Adds deliveries whose sequence numbers are higher than the previous ones. */
  add(deliveries: readonly PendingDelivery[]): void {
    for (const delivery of deliveries) {
      const queue = this.#queueOf(delivery);
      if (queue) queue.deliveries.push(delivery);
      else this.#queues.set(this.#keyOf(delivery), { deliveries: [delivery], isRunning: false });
    }
    this.#size += deliveries.length;
  }

  /** The first delivery of a queue that can be attempted now; a first attempt only from `firstAttemptAt` on. */
  find(now: number, firstAttemptAt: number): PendingDelivery | undefined {
    for (const { deliveries, isRunning } of this.#queues.values()) {
      const [next] = deliveries;
      if (isRunning || !next) continue;
      if (next.attempts === 0 ? firstAttemptAt <= now : isDue(next, now)) return next;
    }
    return undefined;
  }

  /** Marks a delivery from `find` as running: `find` skips its queue until `keep` or `remove`. */
  begin(delivery: PendingDelivery): void {
    const queue = this.#queueOf(delivery);
    if (queue) queue.isRunning = true;
  }

  /** Ends the attempt of a delivery that is still pending. `stored`: after the attempt. */
  keep(delivery: PendingDelivery, stored?: Attempted): void {
    delivery.attempts = stored?.attempts ?? delivery.attempts;
    delivery.nextAttemptAt = stored?.nextAttemptAt ?? delivery.nextAttemptAt;
    const queue = this.#queueOf(delivery);
    if (queue) queue.isRunning = false;
  }

  /** Ends the attempt of a delivery that is not pending any more, and moves its queue behind the other queues. */
  remove(delivery: PendingDelivery): void {
    const queue = this.#queueOf(delivery);
    if (!queue) return;
    this.#size -= 1;
    queue.deliveries.shift();
    queue.isRunning = false;
    const key = this.#keyOf(delivery);
    this.#queues.delete(key);
    if (queue.deliveries.length > 0) this.#queues.set(key, queue);
  }

  #queueOf(delivery: PendingDelivery): DeliveryQueue | undefined {
    return this.#queues.get(this.#keyOf(delivery));
  }

  #keyOf({ accountId }: PendingDelivery): number {
    return this.#isStrict ? STRICT_QUEUE : accountId;
  }
}

/** Also when the clock was ahead at the last attempt, and was set back. */
function isDue({ nextAttemptAt }: PendingDelivery, now: number): boolean {
  return nextAttemptAt <= now || nextAttemptAt > now + maxRetryMilliseconds;
}
