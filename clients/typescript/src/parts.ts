import { ProblemError } from "./problem.ts";

/** A part of a batch with the reply to it, or the item that the server rejects even alone. */
export type SentPart<Item, Data> =
  | { items: readonly Item[]; data: Data }
  | { rejected: Item; error: ProblemError };

/**
 * Sends a batch. If the server rejects the whole request because of an item, such as one of more than 1 MiB, sends halves of
 * it, so that only this item fails. Yields the parts in order. Throws `ProblemError` for every other failure.
 */
export async function* sendParts<Item, Data>(
  items: readonly Item[],
  send: (items: readonly Item[]) => Promise<Data>,
): AsyncGenerator<SentPart<Item, Data>, void, undefined> {
  const reply = await send(items).then((data) => ({ data }), rejectionOf);
  const [first] = items;
  if ("data" in reply) yield { items, ...reply };
  else if (items.length === 1) {
    // Safe: there is one.
    yield { rejected: first as Item, ...reply };
  } else {
    const middle = Math.ceil(items.length / 2);
    yield* sendParts(items.slice(0, middle), send);
    yield* sendParts(items.slice(middle), send);
  }
}

/** The codes of a request that is rejected for its body. A 413 can be that of a proxy, without a code. */
const bodyCodes: readonly (string | undefined)[] = ["invalid_request", "malformed_json"];

function rejectionOf(error: unknown): { error: ProblemError } {
  if (error instanceof ProblemError && (error.status === 413 || bodyCodes.includes(error.code)))
    return { error };
  throw error;
}
