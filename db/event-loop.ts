/** The time after which requests and reads run before a long transaction, or a batch of writes, continues. */
const maxMillisecondsAtOnce = 3;

/** Resolves in the next turn of the event loop, after all callbacks that are ready in this one. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Waits for two turns of the event loop. A request waits for one between its body and its write, so this lets writes of
 * requests that arrived together share a batch, and its fsync.
 */
export async function gatherRequests(): Promise<void> {
  await yieldToEventLoop();
  await yieldToEventLoop();
}

/** The pauses of a long transaction, or of a batch of writes. */
export class Pauses {
  readonly #work: { pause(): Promise<void> };
  #start = performance.now();

  /** `pause` of the work lets the event loop run. */
  constructor(work: { pause(): Promise<void> } = { pause: yieldToEventLoop }) {
    this.#work = work;
  }

  /** Lets the event loop run when the last pause is some milliseconds ago. Throws what `pause` throws. */
  async next(): Promise<void> {
    if (performance.now() - this.#start < maxMillisecondsAtOnce) return;
    await this.#work.pause();
    this.#start = performance.now();
  }
}
