const encoder = new TextEncoder();
const streamEnd = Symbol("end of the streamed response");
type StreamedRequest = Request & { [streamEnd]?: Promise<void> };
type StreamPart = IteratorResult<string | Uint8Array, void>;
type StreamContext = {
  request: StreamedRequest;
  reportStreamError: (error: unknown) => void;
  /** Called before each part but the first, if it takes work. */
  waitForTurn?: () => Promise<void>;
  /** Called when a part waits for the client to read, and when the client has read it. */
  onUnsent?: (isUnsent: boolean) => void;
};

/** Resolves before the streamed reply to a request ends, or when its client has disconnected. Undefined for another reply. */
export function streamEndOf(request: StreamedRequest): Promise<void> | undefined {
  return request[streamEnd];
}

/**
 * A reply whose body is these parts, each requested when the client has received most of the parts before it. After an empty
 * part the next one is requested at once, until the client has disconnected. Throws what the first part throws; an error of a later part is reported, and ends the connection without the end of the body.
 */
export async function streamText(
  { request, reportStreamError, waitForTurn, onUnsent }: StreamContext,
  parts: AsyncGenerator<string | Uint8Array, void>,
  init: ResponseInit = {},
): Promise<Response> {
  const first = await parts.next();
  if (first.done) return new Response(null, init);
  let next: StreamPart | undefined = first;
  let isCancelled = false;
  let isUnsent = false;
  const { promise, resolve } = Promise.withResolvers<void>();
  request[streamEnd] = promise;

  function readPart(): Promise<StreamPart> {
    return parts.next().catch((error: unknown) => {
      reportStreamError(error);
      throw error;
    });
  }

  return new Response(
    new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (isUnsent) onUnsent?.(false);
        isUnsent = false;
        let part: StreamPart;
        do {
          if (!next) await waitForTurn?.();
          part = next ?? (await readPart());
          next = undefined;
        } while (!part.done && part.value.length === 0);
        if (isCancelled) return;
        if (!part.done) {
          controller.enqueue(typeof part.value === "string" ? encoder.encode(part.value) : part.value);
          isUnsent = (controller.desiredSize ?? 0) <= 0;
          if (isUnsent) onUnsent?.(true);
        } else {
          resolve();
          // Bun does not find the connection of a request that has ended.
          await promise;
          controller.close();
        }
      },
      async cancel() {
        isCancelled = true;
        resolve();
        // Every later part is the end.
        await parts.return();
      },
    }),
    init,
  );
}
