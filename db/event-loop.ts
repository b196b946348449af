/** Resolves after all that waits in this turn of the event loop: callers that read are answered first. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
