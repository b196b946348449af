/** Calls `work` with each item. Each lane works on one item at a time, and takes the next one when it is done. */
export async function runInLanes<Lane, Item>(
  lanes: readonly Lane[],
  items: Iterable<Item>,
  work: (lane: Lane, item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items[Symbol.iterator]();
  const run = async (lane: Lane) => {
    for (let next = waiting.next(); !next.done; next = waiting.next()) await work(lane, next.value);
  };
  await Promise.all(lanes.map(run));
}
