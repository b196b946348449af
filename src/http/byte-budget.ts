import { FairQueue } from "../../db/fair-queue.ts";
import { Problem } from "../core/errors.ts";
import { noOrganization } from "../core/turns.ts";
import type { Fetch } from "./fetch.ts";

/**
 * The bytes that one organization, and all requests without a key, can use for each byte that is left: half and a tenth
 * of an empty budget. Some bytes are always left for others (dynamic thresholds, Choudhury and Hahne, 1998).
 */
const organizationShare = 1;
const noOrganizationShare = 1 / 9;
/** Requests of one organization that wait for bytes. */
const maxWaiting = 32;
const maxQueueLength = 10_000;
const maxWaitMilliseconds = 5_000;

type WaitingRequest = {
  organizationId: number;
  bytes: number;
  resolve: () => void;
  reject: (error: Problem) => void;
};

/**
 * Limits the bytes of bodies, from their first byte to the end of the request, and of large responses until their clients
 * have received them. The waiting organizations are served in turn.
 */
export class ByteBudget {
  readonly #maxBytes: number;
  #usedBytes = 0;
  readonly #usedBy = new Map<number, number>();
  readonly #waiting = new FairQueue<WaitingRequest>({
    maxLength: maxQueueLength,
    maxQueueLengthPerOrganization: maxWaiting,
  });
  readonly #reservations = new Map<Request, Reservation>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The bytes that are in use. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Calls `fetch` with a reservation for the body of the request, which ends with the reply. */
  async run(request: Request, fetch: Fetch): Promise<Response> {
    const reservation = new Reservation(this);
    this.#reservations.set(request, reservation);
    try {
      return await fetch(request);
    } finally {
      this.#reservations.delete(request);
      reservation.end();
    }
  }

  /** The reservation of a request that runs in `run`. */
  reservationOf(request: Request): Reservation | undefined {
    return this.#reservations.get(request);
  }

  /**
   * Uses bytes for an organization; returns a promise if it waits for them. It is rejected with `too_busy` after 5 s, and
   * at once when 32 requests of the organization wait.
   */
  acquire(organizationId: number, bytes: number): Promise<void> | undefined {
    if (!this.#waiting.has(organizationId) && this.tryUse(organizationId, bytes)) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { organizationId, bytes, resolve, reject };
    this.#waiting.push(waiting)?.reject(tooBusy());
    const timer = setTimeout(() => {
      this.#waiting.remove(waiting);
      reject(tooBusy());
    }, maxWaitMilliseconds);
    return promise.finally(() => clearTimeout(timer));
  }

  /** Uses bytes without a limit. */
  use(organizationId: number, bytes: number): void {
    this.#usedBytes += bytes;
    this.#usedBy.set(organizationId, this.#usedByOrganization(organizationId) + bytes);
  }

  release(organizationId: number, bytes: number): void {
    this.#usedBytes -= bytes;
    const used = this.#usedByOrganization(organizationId) - bytes;
    if (used > 0) this.#usedBy.set(organizationId, used);
    else this.#usedBy.delete(organizationId);
    while (this.#waiting.length > 0) {
      const next = this.#waiting.takeNext((item) => this.tryUse(item.organizationId, item.bytes));
      if (!next) return;
      next.resolve();
    }
  }

  /** Returns false, without effect, when the bytes do not fit. */
  tryUse(organizationId: number, bytes: number): boolean {
    const used = this.#usedByOrganization(organizationId) + bytes;
    const left = this.#maxBytes - this.#usedBytes - bytes;
    const share = organizationId === noOrganization ? noOrganizationShare : organizationShare;
    // Otherwise a response over half of a small budget would never be sent.
    if (this.#usedBytes > 0 && used > left * share) return false;
    this.use(organizationId, bytes);
    return true;
  }

  #usedByOrganization(organizationId: number): number {
    return this.#usedBy.get(organizationId) ?? 0;
  }
}

function tooBusy(): Problem {
  return new Problem("too_busy", { headers: { "retry-after": "1" } });
}

/** The bytes of one request's body. */
export class Reservation {
  readonly #budget: ByteBudget;
  #owner = noOrganization;
  #bytes = 0;

  constructor(budget: ByteBudget) {
    this.#budget = budget;
  }

  /** Sets the organization whose bytes are used. Called before `add`. */
  set owner(organizationId: number) {
    this.#owner = organizationId;
  }

  /** Uses more bytes. Throws as `ByteBudget.acquire`. */
  async add(bytes: number): Promise<void> {
    await this.#budget.acquire(this.#owner, bytes);
    this.#bytes += bytes;
  }

  /** Releases the bytes. */
  end(): void {
    if (this.#bytes > 0) this.#budget.release(this.#owner, this.#bytes);
    this.#bytes = 0;
  }
}
