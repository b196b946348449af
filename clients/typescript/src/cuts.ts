/** The limits of one request. `rowsOf` counts the rows of an item. */
export type Limits<Item> = { maxItems: number; maxRows?: number; rowsOf?: (item: Item) => number };

/** 1 MiB, without the object around the list. */
const maxListBytes = 1_048_576 - 32;

/**
 * Cuts items into lists that one request can send: by number, by rows, and by the bytes of their JSON. An item that is
 * beyond a limit by itself is a list of its own, which the server rejects.
 */
export async function* cut<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  { maxItems, maxRows = Number.POSITIVE_INFINITY, rowsOf = () => 1 }: Limits<Item>,
): AsyncGenerator<Item[], void, undefined> {
  const encoder = new TextEncoder();
  let list: Item[] = [];
  let listBytes = 0;
  let listRows = 0;
  for await (const item of items) {
    const bytes = encoder.encode(JSON.stringify([item])).length - 1;
    const rows = rowsOf(item);
    const fits = list.length < maxItems && listRows + rows <= maxRows && listBytes + bytes <= maxListBytes;
    if (!fits && list.length > 0) {
      yield list;
      [list, listBytes, listRows] = [[], 0, 0];
    }
    list.push(item);
    listBytes += bytes;
    listRows += rows;
  }
  if (list.length > 0) yield list;
}
