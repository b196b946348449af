/** To the other tabs of the console in this browser, which have the same cookie. */
const channel = new BroadcastChannel("accountd-session");

/** Sends the other tabs the id of the key that is signed in now; null after a sign-out. */
export function announceKey(keyId: number | null): void {
  channel.postMessage(keyId);
}

/** `callback` is called with what another tab sends. Returns a function that ends it. */
export function watchOtherTabs(callback: (keyId: number | null) => void): () => void {
  // Safe: only `announceKey` sends messages.
  const onMessage = ({ data }: MessageEvent) => callback(data as number | null);
  channel.addEventListener("message", onMessage);
  return () => channel.removeEventListener("message", onMessage);
}
