import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { problemErrorOf } from "../../../clients/typescript/src/problem.ts";
import { consoleHeaders } from "./api.ts";

export type Scope = "read" | "write" | "events" | "admin";

/** Who is signed in. */
export type Session = {
  organization: { name: string };
  key: { id: number; name: string; lastFour: string };
  scopes: Scope[];
  expiresAt: string;
};

async function request(method: string, body?: object, query = ""): Promise<Session | null> {
  const response = await fetch(`/console/session${query}`, {
    method,
    headers: { ...consoleHeaders, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw await problemErrorOf(response);
  if (response.status === 204) return null;
  // Safe: the reply of the session's path.
  return ((await response.json()) as { data: Session | null }).data;
}

/** The session of the browser's cookie; null when signed out. */
export const readSession = () => request("GET");

/** Signs in with an API key, or with the token of a link that works once. Throws `ProblemError`. */
export const signIn = (credentials: { key: string } | { link: string }) => request("POST", credentials);

/** Signs out here, or ends every session of the key. */
export const signOut = ({ isEverywhere = false } = {}) =>
  request("DELETE", undefined, isEverywhere ? "?everywhere=true" : "");

export const SessionContext = createContext<Session | null>(null);

/** The session. Throws outside of the pages that need one. */
export function useSession(): Session & { can: (scope: Scope) => boolean } {
  const session = useContext(SessionContext);
  if (!session) throw new Error("the page needs a session");
  return { ...session, can: (scope) => session.scopes.includes(scope) };
}
