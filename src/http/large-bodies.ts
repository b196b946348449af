import { FairQueue } from "../../db/fair-queue.ts";

/** The bytes of large bodies that an organization may have in work, unless it is one body. */
const maxBytesInWork = 524_288;

type LargeBody = { organizationId: number; bytes: number };

/**
 * Large bodies of one organization are parsed and written one after another, in the order of their arrival: a parsed body uses
 * several times its bytes, and another organization waits for the writes of one of them only.
 */
export class LargeBodies {
  readonly #bytesInWork = new Map<number, number>();
  /** The byte budget limits it. */
  readonly #waiting = new FairQueue<LargeBody & { resolve: () => void }>({
    maxLength: Number.POSITIVE_INFINITY,
  });

  /** Begins the work on a body, which `end` ends; returns a promise if it waits for other bodies. */
  begin(body: LargeBody): Promise<void> | undefined {
    if (!this.#waiting.has(body.organizationId) && this.#tryBegin(body)) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ ...body, resolve });
    return promise;
  }

  end({ organizationId, bytes }: LargeBody): void {
    const left = this.#bytesOf(organizationId) - bytes;
    if (left > 0) this.#bytesInWork.set(organizationId, left);
    else this.#bytesInWork.delete(organizationId);
    for (;;) {
      const next = this.#waiting.takeNext((body) => this.#tryBegin(body));
      if (!next) return;
      next.resolve();
    }
  }

  #tryBegin({ organizationId, bytes }: LargeBody): boolean {
    const used = this.#bytesOf(organizationId);
    if (used > 0 && used + bytes > maxBytesInWork) return false;
    this.#bytesInWork.set(organizationId, used + bytes);
    return true;
  }

  #bytesOf(organizationId: number): number {
    return this.#bytesInWork.get(organizationId) ?? 0;
  }
}
