import { isIP } from "node:net";
import { errorCode } from "../../../db/errors.ts";
import { addressesOf, allowedAddresses, nameOf, type WebhookRules } from "./address-rules.ts";
import { readRetryAfter } from "./retry-after.ts";

const maxResponseBytes = 65_536;
const maxStoredBytes = 1_024;

export type AttemptRequest = {
  /** Accepted by `checkWebhookUrl`. */
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Ends the attempt, at the stop of the server. */
  signal: AbortSignal;
};

/** Why an attempt did not succeed. */
export const attemptErrors = [
  "timeout",
  "name_not_found",
  "address_not_allowed",
  "connection_refused",
  "connection_closed",
  "connection_failed",
  "tls_failed",
  "invalid_response",
  /** The status is 3xx: redirects are not followed. */
  "redirect",
  /** The status is not 2xx. */
  "status",
  /** The signal ended the attempt: its result says nothing about the receiver and must not be stored. */
  "aborted",
] as const;
type AttemptError = (typeof attemptErrors)[number];

export type AttemptResult = {
  isSuccess: boolean;
  /** The status of the response; null without a response. */
  status: number | null;
  /** The beginning of the response: at most 1,024 characters, without NUL. */
  body: string | null;
  error: AttemptError | null;
  milliseconds: number;
  /** From `Retry-After` of a 429 or 503, at most 24 hours. */
  retryAfterMilliseconds: number | null;
};

type AttemptOutcome = Pick<AttemptResult, "status" | "body" | "error" | "retryAfterMilliseconds">;

/**
 * Sends a request once. The name is resolved once, and the connection goes to an address that was checked; the
 * certificate must have the name. Success is a 2xx whose body ends, or exceeds 64 kB, within the time limit. Never rejects.
 */
export async function attempt(request: AttemptRequest, rules: WebhookRules): Promise<AttemptResult> {
  const begunAt = performance.now();
  const end = new AbortController();
  const stop = () => end.abort("aborted");
  const timer = setTimeout(() => end.abort("timeout"), rules.maxMilliseconds);
  request.signal.addEventListener("abort", stop);
  if (request.signal.aborted) stop();
  const outcome: AttemptOutcome = { status: null, body: null, error: null, retryAfterMilliseconds: null };
  try {
    outcome.error = await send(request, rules, end.signal, outcome);
  } catch (error) {
    outcome.error = end.signal.aborted ? end.signal.reason : errorOf(error);
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener("abort", stop);
  }
  return {
    isSuccess: outcome.error === null,
    ...outcome,
    milliseconds: Math.round(performance.now() - begunAt),
  };
}

/** Writes what is known of the response to `outcome`, also before it rejects. */
async function send(
  request: AttemptRequest,
  rules: WebhookRules,
  signal: AbortSignal,
  outcome: AttemptOutcome,
): Promise<AttemptError | null> {
  const url = new URL(request.url);
  const addresses = await untilAborted(addressesOf(url, rules), signal);
  if (addresses.length === 0) return "name_not_found";
  const allowed = allowedAddresses(addresses, url, rules);
  if (allowed.length === 0) return "address_not_allowed";
  const response = await fetchFromFirst(allowed, (address) =>
    fetchFrom(address, url, request, signal, rules.authority),
  );
  const { status, headers } = response;
  outcome.status = status;
  if (status === 429 || status === 503)
    outcome.retryAfterMilliseconds = readRetryAfter(headers.get("retry-after"), rules.clock());
  outcome.body = await readBeginning(response);
  if (status >= 300 && status < 400) return "redirect";
  return status >= 200 && status < 300 ? null : "status";
}

/** Uses the second address only if a connection to the first one is refused: nothing was sent. */
function fetchFromFirst(
  [first = "", second]: readonly string[],
  fetchAddress: (address: string) => Promise<Response>,
): Promise<Response> {
  const response = fetchAddress(first);
  if (second === undefined) return response;
  return response.catch((error: unknown) => {
    if (errorOf(error) !== "connection_refused") throw error;
    return fetchAddress(second);
  });
}

/** Proxies are left out of the environment (`production.ts`): Bun's `fetch` has no option against them. */
function fetchFrom(
  address: string,
  url: URL,
  { headers, body }: AttemptRequest,
  signal: AbortSignal,
  ca: string | undefined,
): Promise<Response> {
  const host = isIP(address) === 6 ? `[${address}]` : address;
  const port = url.port === "" ? "" : `:${url.port}`;
  const name = nameOf(url.hostname);
  return fetch(`${url.protocol}//${host}${port}${url.pathname}${url.search}`, {
    method: "POST",
    headers: { ...headers, host: url.host, "accept-encoding": "identity" },
    body,
    signal,
    redirect: "manual",
    // A pooled connection may be one of another name.
    keepalive: false,
    // A few bytes of a compressed body may be gigabytes.
    decompress: false,
    tls: {
      // Also with NODE_TLS_REJECT_UNAUTHORIZED=0.
      rejectUnauthorized: true,
      ...(isIP(name) === 0 && { serverName: name }),
      ...(ca !== undefined && { ca }),
    },
  });
}

/** Reads a body up to its limit. Returns the beginning as well-formed text without NUL. */
async function readBeginning({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let byteCount = 0;
  for await (const chunk of body ?? []) {
    // `stream`: a character that the cut divides is left out.
    text += decoder.decode(chunk.subarray(0, Math.max(0, maxStoredBytes - byteCount)), { stream: true });
    byteCount += chunk.length;
    if (byteCount >= maxResponseBytes) break;
  }
  return text.replaceAll("\0", "\ufffd");
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  if (signal.aborted) reject(signal.reason);
  else signal.addEventListener("abort", () => reject(signal.reason));
  return Promise.race([promise, aborted]);
}

/** By the code of an error of Bun's `fetch`: an `errno`, a code of OpenSSL, or the name of a fault of the response. */
function errorOf(error: unknown): AttemptError {
  const code = errorCode(error);
  if (code === "ECONNREFUSED") return "connection_refused";
  if (code === "ECONNRESET") return "connection_closed";
  if (/TLS|SSL|CERT|VERIFY|SIGNED|ISSUER|EPROTO/.test(code)) return "tls_failed";
  return /^E[A-Z]+$/.test(code) ? "connection_failed" : "invalid_response";
}
