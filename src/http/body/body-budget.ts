import { Problem } from "../../core/errors.ts";
import type { Fetch } from "../fetch.ts";

/** The owner of bodies whose request has no key in its headers. No organization has this id. */
const noOrganization = 0;
/**
 * The bytes that one organization, and all requests without a key, can use for each byte that is left: half and a tenth
 * of an empty budget. Some bytes are always left for others (dynamic thresholds, Choudhury and Hahne, 1998).
 */
const organizationShare = 1;
const noOrganizationShare = 1 / 9;

/**
 * Limits the bytes of all bodies that are being read or whose requests are in progress. No request waits for bytes, so
 * that half-read bodies cannot block each other: one that finds too few is rejected.
 */
export class BodyBudget {
  readonly #maxBytes: number;
  #usedBytes = 0;
  readonly #usedBy = new Map<number, number>();
  readonly #reservations = new Map<Request, BodyReservation>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The bytes that are in use. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Calls `fetch` with a reservation for the body of the request, which ends with the reply. */
  async run(request: Request, fetch: Fetch): Promise<Response> {
    const reservation = new BodyReservation(this);
    this.#reservations.set(request, reservation);
    try {
      return await fetch(request);
    } finally {
      this.#reservations.delete(request);
      reservation.end();
    }
  }

  /** The reservation of a request that runs in `run`. */
  reservationOf(request: Request): BodyReservation | undefined {
    return this.#reservations.get(request);
  }

  /** Returns false, without effect, when the bytes do not fit. */
  tryUse(owner: number, bytes: number): boolean {
    const used = (this.#usedBy.get(owner) ?? 0) + bytes;
    const left = this.#maxBytes - this.#usedBytes - bytes;
    if (used > left * (owner === noOrganization ? noOrganizationShare : organizationShare)) return false;
    this.#usedBytes += bytes;
    this.#usedBy.set(owner, used);
    return true;
  }

  release(owner: number, bytes: number): void {
    this.#usedBytes -= bytes;
    const used = (this.#usedBy.get(owner) ?? 0) - bytes;
    if (used > 0) this.#usedBy.set(owner, used);
    else this.#usedBy.delete(owner);
  }
}

/** The bytes of one request's body. */
export class BodyReservation {
  readonly #budget: BodyBudget;
  #owner = noOrganization;
  #bytes = 0;

  constructor(budget: BodyBudget) {
    this.#budget = budget;
  }

  /** Sets the organization whose bytes are used. Called before `add`. */
  set owner(organizationId: number) {
    this.#owner = organizationId;
  }

  /** Uses more bytes. Throws `too_busy`. */
  add(bytes: number): void {
    if (!this.#budget.tryUse(this.#owner, bytes))
      throw new Problem("too_busy", { headers: { "retry-after": "1" } });
    this.#bytes += bytes;
  }

  /** Releases the bytes. */
  end(): void {
    this.#budget.release(this.#owner, this.#bytes);
    this.#bytes = 0;
  }
}
