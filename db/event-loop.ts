/** Resolves in the next turn of the event loop, after all callbacks that are ready in this one. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
