import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { ProblemError, problemErrorOf } from "../../../clients/typescript/src/problem.ts";
import { consoleHeaders } from "./api.ts";
import { ReaderError } from "./editing/form-problem.ts";
import type { NumberFormats } from "./format.ts";
import { session as sessionTexts } from "./messages/messages.ts";

/** Channel to other tabs of the console with the same session cookie. */
const channel = new BroadcastChannel("accountd-session");

/** Sends the other tabs the id of the key that is signed in now; null after a sign-out. */
function announceKey(keyId: number | null): void {
  channel.postMessage(keyId);
}

/** `callback` is called with what another tab sends. */
export function watchOtherTabs(callback: (keyId: number | null) => void): void {
  channel.onmessage = ({ data }: MessageEvent<number | null>) => callback(data);
}

export type Scope = "read" | "write" | "events" | "admin";

/** Who is signed in. */
export type Session = {
  organization: { name: string } & NumberFormats;
  key: { id: number; name: string; lastFour: string };
  scopes: Scope[];
  expiresAt: string;
  /** For administrators: when the last backup of the server failed. */
  backupFailedAt?: string;
};

async function request(method: string, body?: object, query = ""): Promise<Session | null> {
  const response = await fetch(`/console/session${query}`, {
    method,
    headers: { ...consoleHeaders(), ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw await problemErrorOf(response);
  if (response.status === 204) return null;
  // Safe: the reply of the session's path.
  return ((await response.json()) as { data: Session | null }).data;
}

/** The session of the browser's cookie; null when signed out. */
export const readSession = () => request("GET");

/**
 * Signs in with an API key, or with the token of a link that works once. Throws `ReaderError` if it is not valid, and
 * `ProblemError` for other failures.
 */
export async function signIn(credentials: { key: string } | { link: string }): Promise<Session | null> {
  try {
    const session = await request("POST", credentials);
    announceKey(session?.key.id ?? null);
    return session;
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status !== 401) throw error;
    throw new ReaderError("link" in credentials ? sessionTexts.invalidLink : sessionTexts.invalidKey);
  }
}

/** Signs out here, or ends every session of the key. */
export async function signOut({ isEverywhere = false } = {}): Promise<void> {
  await request("DELETE", undefined, isEverywhere ? "?everywhere=true" : "");
  announceKey(null);
}

/** `refresh` reads the session again, after a change of the organization. */
type OpenSession = Session & { refresh: () => Promise<void> };

export const SessionContext = createContext<OpenSession | null>(null);

/** The session. Throws outside of the pages that need one. */
export function useSession(): OpenSession & { can: (scope: Scope) => boolean } {
  const session = useContext(SessionContext);
  if (!session) throw new Error("the page needs a session");
  return { ...session, can: (scope) => session.scopes.includes(scope) };
}
