type Waiting = { readonly organizationId: number };
export type FairQueueOptions = {
  /** The number of waiting items. */
  maxLength: number;
  /** The same of one organization. */
  maxLaneLength?: number;
  /** Whether the organizations are served in turn, or all items in the order of arrival. Default: true. */
  isFair?: boolean | undefined;
};

/** Waiting items by organization. The organizations are served in turn; the order within an organization stays. */
export class FairQueue<T extends Waiting> {
  readonly #maxLength: number;
  readonly #maxLaneLength: number;
  readonly #isFair: boolean;
  /** None is empty. The first lane is served next: a map keeps the order of insertion. */
  #lanes = new Map<number, T[]>();
  #length = 0;

  constructor({ maxLength, maxLaneLength = maxLength, isFair = true }: FairQueueOptions) {
    this.#maxLength = maxLength;
    this.#maxLaneLength = maxLaneLength;
    this.#isFair = isFair;
  }

  get length(): number {
    return this.#length;
  }

  /**
   * Appends an item. Returns the item for which there is no room: this one, or the last one of the organization with
   * the most waiting items.
   */
  push(item: T): T | undefined {
    const key = this.#laneOf(item);
    const lane = this.#lanes.get(key) ?? [];
    if (lane.length >= this.#maxLaneLength) return item;
    let displaced: T | undefined;
    if (this.#length >= this.#maxLength) {
      const longest = this.#longestLane();
      if (longest.length <= lane.length + 1) return item;
      displaced = longest.pop();
    } else this.#length += 1;
    lane.push(item);
    this.#lanes.set(key, lane);
    return displaced;
  }

  /** Removes and returns up to `max` items. */
  take(max: number): T[] {
    const items: T[] = [];
    while (items.length < max) {
      const [key, lane] = this.#lanes.entries().next().value ?? [];
      if (key === undefined || !lane) break;
      if (this.#lanes.size === 1) items.push(...lane.splice(0, max - items.length));
      else items.push(...lane.splice(0, 1));
      this.#lanes.delete(key);
      if (lane.length > 0) this.#lanes.set(key, lane);
    }
    this.#length -= items.length;
    return items;
  }

  /** Removes an item that waits; does nothing when it does not. */
  remove(item: T): void {
    const key = this.#laneOf(item);
    const lane = this.#lanes.get(key);
    const index = lane?.indexOf(item) ?? -1;
    if (!lane || index === -1) return;
    lane.splice(index, 1);
    if (lane.length === 0) this.#lanes.delete(key);
    this.#length -= 1;
  }

  /** Returns items that were taken, in their order: they are served before all others. */
  putBack(items: readonly T[]): void {
    if (items.length === 0) return;
    const lanes = new Map<number, T[]>();
    for (const item of items) {
      const key = this.#laneOf(item);
      const lane = lanes.get(key);
      if (lane) lane.push(item);
      else lanes.set(key, [item]);
    }
    for (const [key, lane] of this.#lanes) lanes.set(key, [...(lanes.get(key) ?? []), ...lane]);
    this.#lanes = lanes;
    this.#length += items.length;
  }

  #longestLane(): T[] {
    let longest: T[] = [];
    for (const lane of this.#lanes.values()) if (lane.length > longest.length) longest = lane;
    return longest;
  }

  #laneOf({ organizationId }: Waiting): number {
    return this.#isFair ? organizationId : 0;
  }
}
