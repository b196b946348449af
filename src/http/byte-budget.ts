import { OrganizationCounts } from "../../db/organization-counts.ts";
import { tooBusy } from "../core/errors.ts";
import { noOrganization } from "../core/turns.ts";
import { WaitingRequests } from "../core/waiting-requests.ts";
import type { Fetch } from "./fetch.ts";
import { LargeBodies } from "./large-bodies.ts";

/**
 * The bytes that all requests without a key can use for each byte that is left, a tenth of an empty budget; an organization
 * can use one, which is half. Some are always left for others (dynamic thresholds, Choudhury and Hahne, 1998).
 */
const noOrganizationShare = 1 / 9;
/** The part of a share that responses can use: writes have bytes for their bodies while clients do not read. */
const responsePart = 1 / 2;
/** The bytes of requests that wait for bytes: they are in memory, too. One request may wait with more. */
const maxWaitingBytesPerOrganization = 4_194_304;
const maxWaitingBytes = 16_777_216;
/** Bytes of a body, or of a response. */
type ByteUse = { organizationId: number; bytes: number; isResponse?: boolean };

/**
 * Limits the bytes of bodies, from their first byte to the end of the request, and of large responses until their clients
 * have received them. The waiting organizations are served in turn.
 */
export class ByteBudget {
  readonly #maxBytes: number;
  readonly #used = new OrganizationCounts();
  readonly #waitingBytes = new OrganizationCounts();
  readonly #waiting = new WaitingRequests<ByteUse>(tooBusy);
  readonly #reservations = new Map<Request, Reservation>();
  readonly largeBodies = new LargeBodies();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The bytes that are in use. */
  get usedBytes(): number {
    return this.#used.total;
  }

  /** Calls `fetch` with a reservation for the body of the request, which ends with the reply. */
  async run(request: Request, fetch: Fetch): Promise<Response> {
    const reservation = new Reservation(this, request);
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
   * Uses bytes for an organization; returns a promise if it waits for them. It is rejected with `too_busy` after 5 s, when
   * the client of `request` disconnects, and at once when 32 requests of the organization wait, or too many bytes.
   */
  acquire(use: ByteUse, request?: Request): Promise<void> | undefined {
    const { organizationId, bytes } = use;
    // Small responses do not overtake a large one. A body that fits does not wait for responses.
    const isNext = !use.isResponse || !this.#waiting.has(organizationId);
    if (isNext && this.tryUse(use)) return undefined;
    if (!this.#canWait(use)) return Promise.reject(tooBusy());
    this.#waitingBytes.add(organizationId, bytes);
    return this.#waiting.wait(use, request?.signal).finally(() => {
      this.#waitingBytes.add(organizationId, -bytes);
      this.#startNext();
    });
  }

  /** Uses bytes without a limit. */
  use(organizationId: number, bytes: number): void {
    this.#used.add(organizationId, bytes);
  }

  /** Whether the organization uses less than its share. */
  hasRoom(organizationId: number): boolean {
    return this.#fits({ organizationId, bytes: 0 });
  }

  release(organizationId: number, bytes: number): void {
    this.#used.add(organizationId, -bytes);
    this.#startNext();
  }

  /** Also after a request that waits no longer: those behind it may fit. Only bodies overtake others that wait. */
  #startNext(): void {
    while (this.#waiting.startNext((use, index) => (index === 0 || !use.isResponse) && this.tryUse(use)));
  }

  /** Returns false, without effect, when the bytes do not fit. */
  tryUse(use: ByteUse): boolean {
    if (!this.#fits(use)) return false;
    this.use(use.organizationId, use.bytes);
    return true;
  }

  #fits({ organizationId, bytes, isResponse = false }: ByteUse): boolean {
    // Otherwise a response over half of a small budget would never be sent.
    if (this.#used.total === 0) return true;
    const used = this.#used.of(organizationId) + bytes;
    const left = this.#maxBytes - this.#used.total - bytes;
    const ofOwner = organizationId === noOrganization ? noOrganizationShare : 1;
    return used <= left * (isResponse ? ofOwner * responsePart : ofOwner);
  }

  #canWait({ organizationId, bytes }: ByteUse): boolean {
    const { total } = this.#waitingBytes;
    const waiting = this.#waitingBytes.of(organizationId);
    return (
      (waiting === 0 || waiting + bytes <= maxWaitingBytesPerOrganization) &&
      (total === 0 || total + bytes <= maxWaitingBytes)
    );
  }
}

/** The bytes of one request's body. */
export class Reservation {
  readonly #budget: ByteBudget;
  readonly #request: Request;
  #owner = noOrganization;
  #bytes = 0;
  #endWork = () => {};

  constructor(budget: ByteBudget, request: Request) {
    this.#budget = budget;
    this.#request = request;
  }

  /** Sets the organization whose bytes are used. Called before `add`. */
  set owner(organizationId: number) {
    this.#owner = organizationId;
  }

  /** Uses more bytes. Waits and throws as `ByteBudget.acquire`. */
  async add(bytes: number): Promise<void> {
    await this.#budget.acquire({ organizationId: this.#owner, bytes }, this.#request);
    this.#bytes += bytes;
  }

  /**
   * Waits as `LargeBodies.begin`. The work ends with the reservation. Called once. From now on the bytes are of the
   * organization: while they wait, they are not of all requests without a key.
   */
  async beginWork(organizationId: number, bytes: number): Promise<void> {
    const { largeBodies } = this.#budget;
    if (organizationId !== this.#owner) {
      this.#budget.use(organizationId, this.#bytes);
      this.#budget.release(this.#owner, this.#bytes);
      this.#owner = organizationId;
    }
    await largeBodies.begin({ organizationId, bytes });
    this.#endWork = () => largeBodies.end({ organizationId, bytes });
  }

  /** Releases the bytes over this number. */
  keep(bytes: number): void {
    if (this.#bytes > bytes) this.#budget.release(this.#owner, this.#bytes - bytes);
    this.#bytes = Math.min(this.#bytes, bytes);
  }

  /** Releases the bytes, and ends the work. */
  end(): void {
    this.keep(0);
    this.#endWork();
  }
}
