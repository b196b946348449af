import { retryAfterSeconds } from "./problem.ts";

export type RetryOptions = {
  /** Default: 5. 0 turns retries off. */
  maxRetries?: number;
  /** A `Retry-After` beyond this is not waited for. Default: 60. */
  maxWaitSeconds?: number;
  /** Default: that of the runtime. */
  fetch?: (request: Request) => Promise<Response>;
};

const writeMethods = new Set(["POST", "PUT", "PATCH", "DELETE"]);
/** Gateway errors, and those after which accountd may have stored the change. The key makes the repetition safe. */
const transientStatuses = new Set([502, 503, 504]);
const firstDelayMs = 250;
const maxDelayMs = 8_000;

/**
 * Returns a `fetch` that gives each write an `Idempotency-Key`, unless it has one, and repeats a request when the connection
 * fails, also within a reply in JSON, when the reply has `Retry-After`, and after 502, 503 and 504. Between attempts it waits
 * for `Retry-After`, or with exponential backoff and jitter, until the request is aborted. Throws the last failure.
 */
export function fetchWithRetries({ maxRetries = 5, maxWaitSeconds = 60, fetch }: RetryOptions = {}) {
  const send = fetch ?? ((request: Request) => globalThis.fetch(request));
  return async (request: Request): Promise<Response> => {
    if (writeMethods.has(request.method) && !request.headers.has("idempotency-key"))
      request.headers.set("idempotency-key", newKey());
    for (let retries = 0; ; retries += 1) {
      const isLast = retries >= maxRetries;
      let waitMs: number | undefined;
      try {
        const response = await readJson(await send(request.clone()));
        waitMs = isLast ? undefined : waitAfter(response, retries, maxWaitSeconds);
        if (waitMs === undefined) return response;
        await response.body?.cancel();
      } catch (error) {
        if (isLast || request.signal.aborted) throw error;
        waitMs = backOffMs(retries);
      }
      await sleep(waitMs, request.signal);
    }
  };
}

/** Reads a reply in JSON, so that one that is cut off is a failed connection. Exports are passed on as streams. */
async function readJson(response: Response): Promise<Response> {
  if (!/^application\/(problem\+)?json\b/.test(response.headers.get("content-type") ?? "")) return response;
  const { status, statusText, headers } = response;
  return new Response(await response.arrayBuffer(), { status, statusText, headers });
}

/** The time before the next attempt in milliseconds; undefined when the reply is final. */
function waitAfter(response: Response, retries: number, maxWaitSeconds: number): number | undefined {
  const seconds = retryAfterSeconds(response);
  if (seconds !== undefined) return seconds <= maxWaitSeconds ? seconds * 1_000 : undefined;
  return transientStatuses.has(response.status) ? backOffMs(retries) : undefined;
}

/** Between half of the delay and all of it, so that clients do not repeat at the same time. */
export function backOffMs(retries: number): number {
  return Math.min(maxDelayMs, firstDelayMs * 2 ** retries) * (0.5 + Math.random() / 2);
}

/** 128 random bits. `crypto.randomUUID` is missing in pages without TLS. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

/** Throws the reason of an abort. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
