import { type Client, createClient } from "../../../clients/typescript/src/client.ts";

let sessionKeyId: number | undefined;

/** The key whose data this tab shows; undefined when signed out. */
export function setSessionKey(id: number | undefined): void {
  sessionKeyId = id;
}

export function isSessionKey(id: number): boolean {
  return id === sessionKeyId;
}

/**
 * Mark a request of the console: pages of other origins cannot send these headers with the cookie. The server rejects
 * the request if the cookie is of another key, because another tab signed in.
 */
export function consoleHeaders(): Record<string, string> {
  const key = sessionKeyId === undefined ? undefined : { "x-accountd-key": String(sessionKeyId) };
  return { "x-accountd-console": "1", ...key };
}

const ownRequestIds = new Set<string>();

/** Whether this tab sent the write with this request id. */
export function isOwnWrite(requestId: string | null): boolean {
  return requestId !== null && ownRequestIds.has(requestId);
}

function sendFromConsole(request: Request): Promise<Response> {
  request.headers.delete("x-api-key");
  for (const [name, value] of Object.entries(consoleHeaders())) request.headers.set(name, value);
  return fetch(request);
}

async function send(request: Request): Promise<Response> {
  const response = await sendFromConsole(request);
  const requestId = response.headers.get("x-request-id");
  if (request.method !== "GET" && requestId !== null) ownRequestIds.add(requestId);
  if (response.status === 401) dispatchEvent(new Event("sessionrejected"));
  return response;
}

const options = { server: location.origin, key: "", maxRetries: 2, maxWaitSeconds: 5 };

/**
 * The API of this server, authenticated by the cookie of the session. The event `sessionrejected`: the session ended, its
 * key was revoked, or it is of another key.
 */
export const api: Client = createClient({ ...options, fetch: send });

/** A client for streams, without the event. `onReply` is called with the headers of each reply. */
export function createStreamApi(onReply: (headers: Headers) => void): Client {
  return createClient({
    ...options,
    fetch: async (request) => {
      const response = await sendFromConsole(request);
      onReply(response.headers);
      return response;
    },
  });
}
