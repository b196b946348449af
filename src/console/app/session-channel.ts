import type { Session } from "./session.ts";

/** The id of the key that a tab has signed in with; null after a sign-out. */
type Message = number | null;

/** To the other tabs of the console in this browser, which have the same cookie. */
const channel = new BroadcastChannel("accountd-session");

/** Sends the other tabs who is signed in now. */
export function announceSession(session: Session | null): void {
  channel.postMessage((session?.key.id ?? null) satisfies Message);
}

/** `callback` is called with the id of the key when another tab signs in, and with null when it signs out. */
export function watchOtherTabs(callback: (keyId: number | null) => void): () => void {
  // Safe: only `announceSession` sends messages.
  const onMessage = ({ data }: MessageEvent) => callback(data as Message);
  channel.addEventListener("message", onMessage);
  return () => channel.removeEventListener("message", onMessage);
}
