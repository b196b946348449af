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
