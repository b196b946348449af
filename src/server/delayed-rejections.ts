import type { Fetch } from "./listen.ts";

/** The rejection of a larger body is delayed, on average by this time. */
const maxPromptBytes = 16_384;
const defaultDelayMilliseconds = 1_000;
/** Further rejections are not delayed. */
const maxDelayed = 2_000;

/**
 * Returns `fetch` with delayed rejections of large bodies. A caller that sends such bodies on many connections, and
 * again after each reply, would otherwise use the whole thread for its rejections.
 */
export function delayRejections(fetch: Fetch, delayMilliseconds = defaultDelayMilliseconds): Fetch {
  let delayedCount = 0;
  return async (request) => {
    const response = await fetch(request);
    if (response.status < 400 || delayedCount >= maxDelayed || !isRejected(request, response))
      return response;
    delayedCount += 1;
    // Bun stores what arrives of a body, unless it is cancelled.
    if (!request.bodyUsed) await request.body?.cancel();
    // Random, so that the connections of a caller do not send again at the same time.
    await Bun.sleep(delayMilliseconds * (0.5 + Math.random()));
    delayedCount -= 1;
    return response;
  };
}

/** Whether a large body was not read, or the request failed for the caller, the size or the load. */
function isRejected({ headers, bodyUsed }: Request, { status }: Response): boolean {
  const length = Number(
    headers.get("content-length") ?? (headers.has("transfer-encoding") ? Number.POSITIVE_INFINITY : 0),
  );
  return length > maxPromptBytes && (!bodyUsed || status === 401 || status === 413 || status === 503);
}
