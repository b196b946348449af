type Waiting = { readonly organizationId: number };
export type FairQueueOptions = {
  /** The maximum number of waiting items. Default: 10,000. */
  maxLength?: number;
  /** The maximum number of waiting items of an organization. Default: `maxLength`. */
  maxLengthPerOrganization?: number;
};

const defaultMaxLength = 10_000;
/** `maxLengthPerOrganization` of slow requests. */
export const maxSlowPerOrganization = 32;

/** Waiting items by organization. The organizations are served in turn; the order within an organization stays. */
export class FairQueue<T extends Waiting> {
  readonly #maxLength: number;
  readonly #maxLengthPerOrganization: number;
  /** None is empty. The first queue is served next: a map keeps the order of insertion. */
  #queues = new Map<number, T[]>();
  #length = 0;

  constructor({ maxLength = defaultMaxLength, maxLengthPerOrganization = maxLength }: FairQueueOptions = {}) {
    this.#maxLength = maxLength;
    this.#maxLengthPerOrganization = maxLengthPerOrganization;
  }

  get length(): number {
    return this.#length;
  }

  /**
   * Appends an item. Returns the item for which there is no room: this one, or the last one of the organization with
   * the most waiting items.
   */
  push(item: T): T | undefined {
    const { organizationId } = item;
    const queue = this.#queues.get(organizationId) ?? [];
    if (this.isFull(organizationId)) return item;
    let displaced: T | undefined;
    if (this.#length >= this.#maxLength) {
      const longest = this.#longestQueue();
      if (longest.length <= queue.length + 1) return item;
      displaced = longest.pop();
    } else this.#length += 1;
    queue.push(item);
    this.#queues.set(organizationId, queue);
    return displaced;
  }

  /** Whether `push` rejects a further item of the organization. */
  isFull(organizationId: number): boolean {
    return (this.#queues.get(organizationId)?.length ?? 0) >= this.#maxLengthPerOrganization;
  }

  /** Removes and returns up to `max` items, all by default. */
  take(max = Number.POSITIVE_INFINITY): T[] {
    const items: T[] = [];
    // One iterator, which visits a queue again after the others: a new one would skip all entries that were deleted.
    for (const [key, queue] of this.#queues) {
      if (items.length >= max) break;
      if (this.#queues.size === 1) items.push(...queue.splice(0, max - items.length));
      else items.push(...queue.splice(0, 1));
      this.#queues.delete(key);
      if (queue.length > 0) this.#queues.set(key, queue);
    }
    this.#length -= items.length;
    return items;
  }

  /** Whether an item of the organization waits. */
  has(organizationId: number): boolean {
    return this.#queues.has(organizationId);
  }

  /**
   * Removes and returns the first item of the next organization if `isServed` accepts it. `canOvertake`: the first one that
   * `isServed` accepts. `index`: its place in the queue.
   */
  takeNext(isServed: (item: T, index: number) => boolean, { canOvertake = false } = {}): T | undefined {
    for (const [key, queue] of this.#queues) {
      const index = (canOvertake ? queue : queue.slice(0, 1)).findIndex(isServed);
      const [item] = index === -1 ? [] : queue.splice(index, 1);
      if (!item) continue;
      this.#queues.delete(key);
      if (queue.length > 0) this.#queues.set(key, queue);
      this.#length -= 1;
      return item;
    }
    return undefined;
  }

  /** Removes and returns all items of an organization. */
  takeAllOf({ organizationId }: Waiting): T[] {
    const items = this.#queues.get(organizationId) ?? [];
    this.#queues.delete(organizationId);
    this.#length -= items.length;
    return items;
  }

  /** Removes an item that waits; does nothing when it does not. */
  remove(item: T): void {
    const { organizationId } = item;
    const queue = this.#queues.get(organizationId);
    const index = queue?.indexOf(item) ?? -1;
    if (!queue || index === -1) return;
    queue.splice(index, 1);
    if (queue.length === 0) this.#queues.delete(organizationId);
    this.#length -= 1;
  }

  /** Returns items that were taken, in their order: they are served before all others. */
  putBack(items: readonly T[]): void {
    if (items.length === 0) return;
    const queues = Map.groupBy(items, ({ organizationId }) => organizationId);
    for (const [key, queue] of this.#queues) queues.set(key, [...(queues.get(key) ?? []), ...queue]);
    this.#queues = queues;
    this.#length += items.length;
  }

  /** Lets an organization be served after all others that wait. */
  postpone(organizationId: number): void {
    const queue = this.#queues.get(organizationId);
    if (!queue) return;
    this.#queues.delete(organizationId);
    this.#queues.set(organizationId, queue);
  }

  #longestQueue(): T[] {
    let longest: T[] = [];
    for (const queue of this.#queues.values()) if (queue.length > longest.length) longest = queue;
    return longest;
  }
}
