/** Resolves in the next turn of the event loop, after everything that is ready in this one. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
