import { FairQueue, maxSlowPerOrganization } from "../../db/fair-queue.ts";
import { requestTimeoutMilliseconds } from "../../db/timer.ts";
import type { Problem } from "./errors.ts";

type WaitingRequest<T> = {
  organizationId: number;
  item: T;
  resolve: () => void;
  reject: (error: Problem) => void;
};

/** Requests that wait, the organizations in turn. `tooBusy` makes the problem of a request that waits no longer. */
export class WaitingRequests<T extends { organizationId: number }> {
  readonly #tooBusy: () => Problem;
  readonly #queue = new FairQueue<WaitingRequest<T>>({ maxLengthPerOrganization: maxSlowPerOrganization });

  constructor(tooBusy: () => Problem) {
    this.#tooBusy = tooBusy;
  }

  has(organizationId: number): boolean {
    return this.#queue.has(organizationId);
  }

  /** Throws the problem of a further request of the organization, if too many wait. */
  assertRoom(organizationId: number): void {
    if (this.#queue.isFull(organizationId)) throw this.#tooBusy();
  }

  /** Resolves when `startNext` takes the item. Rejects after 5 s, on `signal`, and at once when too many wait. */
  wait(item: T, signal?: AbortSignal): Promise<void> {
    // An aborted signal has no further event.
    if (signal?.aborted) return Promise.reject(this.#tooBusy());
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { organizationId: item.organizationId, item, resolve, reject };
    this.#queue.push(waiting)?.reject(this.#tooBusy());
    const stop = () => {
      this.#queue.remove(waiting);
      reject(this.#tooBusy());
    };
    const timer = setTimeout(stop, requestTimeoutMilliseconds);
    signal?.addEventListener("abort", stop);
    return promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    });
  }

  /** Takes the next organization's first item that `canStart` accepts. Returns false if there is no such item. */
  startNext(canStart: (item: T, index: number) => boolean): boolean {
    const next = this.#queue.takeNext(({ item }, index) => canStart(item, index), { canOvertake: true });
    next?.resolve();
    return next !== undefined;
  }
}
