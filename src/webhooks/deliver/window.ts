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
type Lane = { deliveries: PendingDelivery[]; isRunning: boolean };

/** The deliveries of a strict webhook, of whichever account, are one lane. */
const STRICT_LANE = 0;

/** The pending deliveries of one webhook, in a lane for each account. */
export class DeliveryWindow {
  readonly #isStrict: boolean;
  readonly #lanes = new Map<number, Lane>();
  #size = 0;

  constructor(isStrict: boolean) {
    this.#isStrict = isStrict;
  }

  /** The number of pending deliveries, the running ones included. */
  get size(): number {
    return this.#size;
  }

  /** Adds deliveries with higher sequence numbers than those before them. */
  add(deliveries: readonly PendingDelivery[]): void {
    for (const delivery of deliveries) {
      const lane = this.#laneOf(delivery);
      if (lane) lane.deliveries.push(delivery);
      else this.#lanes.set(this.#keyOf(delivery), { deliveries: [delivery], isRunning: false });
    }
    this.#size += deliveries.length;
  }

  /** The first delivery of a lane that can be attempted now; a first attempt only from `firstAttemptAt` on. */
  find(now: number, firstAttemptAt: number): PendingDelivery | undefined {
    for (const { deliveries, isRunning } of this.#lanes.values()) {
      const [next] = deliveries;
      if (isRunning || !next) continue;
      if (next.attempts === 0 ? firstAttemptAt <= now : isDue(next, now)) return next;
    }
    return undefined;
  }

  /** Marks a delivery from `find` as running: its lane has no other one meanwhile. */
  begin(delivery: PendingDelivery): void {
    const lane = this.#laneOf(delivery);
    if (lane) lane.isRunning = true;
  }

  /** Ends the attempt of a delivery that is still pending. `stored`: after the attempt. */
  keep(delivery: PendingDelivery, stored?: Attempted): void {
    delivery.attempts = stored?.attempts ?? delivery.attempts;
    delivery.nextAttemptAt = stored?.nextAttemptAt ?? delivery.nextAttemptAt;
    const lane = this.#laneOf(delivery);
    if (lane) lane.isRunning = false;
  }

  /** Ends the attempt of a delivery that is not pending any more. The other lanes come before its lane then. */
  remove(delivery: PendingDelivery): void {
    const lane = this.#laneOf(delivery);
    if (!lane) return;
    this.#size -= 1;
    lane.deliveries.shift();
    lane.isRunning = false;
    const key = this.#keyOf(delivery);
    this.#lanes.delete(key);
    if (lane.deliveries.length > 0) this.#lanes.set(key, lane);
  }

  #laneOf(delivery: PendingDelivery): Lane | undefined {
    return this.#lanes.get(this.#keyOf(delivery));
  }

  #keyOf({ accountId }: PendingDelivery): number {
    return this.#isStrict ? STRICT_LANE : accountId;
  }
}

/** Also when the clock was ahead at the last attempt, and was set back. */
function isDue({ nextAttemptAt }: PendingDelivery, now: number): boolean {
  return nextAttemptAt <= now || nextAttemptAt > now + maxRetryMilliseconds;
}
