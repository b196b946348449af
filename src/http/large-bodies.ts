/** The bytes of large bodies that an organization may have in work, unless it is one body. */
const maxBytesInWork = 524_288;

type LargeBody = { organizationId: number; bytes: number };
/** `bytes` are in work. `waiting` is in the order of arrival; the byte budget limits it. */
type BodiesInWork = { bytes: number; waiting: { bytes: number; resolve: () => void }[] };

/**
 * Limits the large bodies of an organization that are parsed and written at once: a parsed body uses several times its
 * bytes, and other organizations wait for the writes.
 */
export class LargeBodies {
  /** Of organizations with bytes in work. */
  readonly #works = new Map<number, BodiesInWork>();

  /** Begins the work on a body, which `end` ends; returns a promise if it waits for other bodies. */
  begin({ organizationId, bytes }: LargeBody): Promise<void> | undefined {
    const work = this.#works.get(organizationId);
    if (!work) {
      this.#works.set(organizationId, { bytes, waiting: [] });
      return undefined;
    }
    if (work.waiting.length === 0 && work.bytes + bytes <= maxBytesInWork) {
      work.bytes += bytes;
      return undefined;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    work.waiting.push({ bytes, resolve });
    return promise;
  }

  end({ organizationId, bytes }: LargeBody): void {
    const work = this.#works.get(organizationId);
    if (!work) return;
    work.bytes -= bytes;
    for (let [next] = work.waiting; next; [next] = work.waiting) {
      if (work.bytes > 0 && work.bytes + next.bytes > maxBytesInWork) return;
      work.waiting.shift();
      work.bytes += next.bytes;
      next.resolve();
    }
    if (work.bytes === 0) this.#works.delete(organizationId);
  }
}
