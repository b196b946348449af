import { maxSmallBodyBytes } from "../http/body/body.ts";
import type { Fetch } from "../http/fetch.ts";

/** The mean delay. */
const defaultDelayMilliseconds = 1_000;
/** With this many delayed rejections, further ones are sent at once. */
const maxDelayed = 2_000;

/**
 * Returns `fetch` with delayed rejections of large bodies. A caller that sends such bodies on many connections, and
 * again after each reply, would otherwise use the whole thread for its rejections.
 */
export function delayRejections(fetch: Fetch, delayMilliseconds = defaultDelayMilliseconds): Fetch {
  let delayedCount = 0;
  return async (request) => {
    const response = await fetch(request);
    return response.status < 400 ? response : delay(request, response);
  };

  async function delay(request: Request, response: Response): Promise<Response> {
    if (delayedCount >= maxDelayed || !isRejected(request, response)) return response;
    delayedCount += 1;
    try {
      // Bun stores what arrives of a body, unless it is cancelled. It cannot be when the caller has disconnected.
      if (!request.bodyUsed) await request.body?.cancel().catch(() => {});
      // Random, so that the connections of a caller do not send again at the same time.
      await Bun.sleep(delayMilliseconds * (0.5 + Math.random()));
    } finally {
      delayedCount -= 1;
    }
    return response;
  }
}

/** Whether a large body, or one without a length or in gzip, was rejected before it was read, or with 401, 413 or 503. */
function isRejected({ headers, bodyUsed }: Request, { status }: Response): boolean {
  const hasUnknownSize = headers.has("transfer-encoding") || headers.has("content-encoding");
  const length = hasUnknownSize ? Number.POSITIVE_INFINITY : Number(headers.get("content-length") ?? 0);
  return length > maxSmallBodyBytes && (!bodyUsed || status === 401 || status === 413 || status === 503);
}
