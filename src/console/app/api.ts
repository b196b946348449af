import { type Client, createClient } from "../../../clients/typescript/src/client.ts";

/** Marks a request of the console: pages of other origins cannot send this header with the cookie. */
export const consoleHeaders = { "x-accountd-console": "1" } as const;

let onSignedOut = () => {};

/** `callback` is called when the API rejects the session: it expired, or its key was revoked. */
export function watchSession(callback: () => void): void {
  onSignedOut = callback;
}

async function send(request: Request): Promise<Response> {
  request.headers.delete("x-api-key");
  for (const [name, value] of Object.entries(consoleHeaders)) request.headers.set(name, value);
  const response = await fetch(request);
  if (response.status === 401) onSignedOut();
  return response;
}

/** The API of this server, authenticated by the cookie of the session. */
export const api: Client = createClient({
  server: location.origin,
  key: "",
  fetch: send,
  maxRetries: 2,
  maxWaitSeconds: 5,
});

/** Sends a request that the typed client does not have, such as an export. */
export function sendToApi(path: string, init: RequestInit = {}): Promise<Response> {
  return send(new Request(new URL(path, location.origin), init));
}
