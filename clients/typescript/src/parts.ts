import { ProblemError } from "./problem.ts";

/** A part of a batch with the reply to it, or the item that the server rejects even alone. The indexes are of the batch. */
export type SentPart<Data> =
  | { indexes: readonly number[]; data: Data }
  | { index: number; error: ProblemError };

/** The measure of an item that was rejected alone. Items of the same or a larger measure are rejected, too. */
type Rejection = { error: ProblemError; measure: (json: string) => number; min: number };

/**
 * Sends a batch. If the server rejects the whole request because of an item, such as one of more than 1 MiB, sends halves of
 * it, so that only this item fails. Items that are as large, or nested as deep, as one that failed are not sent again. Yields
 * the parts in any order. Throws `ProblemError` for every other failure.
 */
export async function* sendParts<Item, Data>(
  items: readonly Item[],
  send: (items: readonly Item[]) => Promise<Data>,
): AsyncGenerator<SentPart<Data>, void, undefined> {
  const rejections: Rejection[] = [];
  yield* sendItems(items.map((item, index) => ({ item, index })));

  async function* sendItems(
    all: readonly { item: Item; index: number }[],
  ): AsyncGenerator<SentPart<Data>, void, undefined> {
    const list: { item: Item; index: number }[] = [];
    for (const entry of all) {
      const error = findRejection(rejections, entry.item);
      if (error) yield { index: entry.index, error };
      else list.push(entry);
    }
    const [first] = list;
    if (!first) return;
    const reply = await send(list.map(({ item }) => item)).then((data) => ({ data }), rejectionOf);
    if ("data" in reply) yield { indexes: list.map(({ index }) => index), ...reply };
    else if (list.length === 1) {
      rejections.push(...measureRejection(reply.error, first.item));
      yield { index: first.index, ...reply };
    } else {
      const middle = Math.ceil(list.length / 2);
      yield* sendItems(list.slice(0, middle));
      yield* sendItems(list.slice(middle));
    }
  }
}

function findRejection(rejections: readonly Rejection[], item: unknown): ProblemError | undefined {
  if (rejections.length === 0) return undefined;
  const json = JSON.stringify([item]);
  return rejections.find(({ measure, min }) => measure(json) >= min)?.error;
}

/** JSON that this client makes is malformed for the server only if it is nested too deep. */
function measureRejection(error: ProblemError, item: unknown): Rejection[] {
  const isTooDeep = error.code === "malformed_json";
  if (!isTooDeep && error.status !== 413) return [];
  const measure = isTooDeep ? depthOf : bytesOf;
  return [{ error, measure, min: measure(JSON.stringify([item])) }];
}

function bytesOf(json: string): number {
  return new TextEncoder().encode(json).length;
}

function depthOf(json: string): number {
  let depth = 0;
  let maxDepth = 0;
  for (const [bracket] of json.replace(/"(?:[^"\\]|\\.)*"/g, "").matchAll(/[[\]{}]/g)) {
    depth += bracket === "[" || bracket === "{" ? 1 : -1;
    maxDepth = Math.max(maxDepth, depth);
  }
  return maxDepth;
}

/** Returns the rejection of a body because of an item, and throws every other error. */
function rejectionOf(error: unknown): { error: ProblemError } {
  if (error instanceof ProblemError && isOfBody(error)) return { error };
  throw error;
}

/** Whether a request is rejected for its body. A 413 can be that of a proxy, without a code. */
function isOfBody({ status, code, errors }: ProblemError): boolean {
  if (status === 413 || code === "malformed_json") return true;
  return code === "invalid_request" && errors.some((violation) => "pointer" in violation);
}
