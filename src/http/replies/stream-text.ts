import { yieldToEventLoop } from "../../../db/event-loop.ts";

const encoder = new TextEncoder();
const streamEnd = Symbol("end of the streamed reply");
type StreamedRequest = Request & { [streamEnd]?: Promise<void> };

/** Resolves before the streamed reply to a request ends, or when its client has disconnected. Undefined for another reply. */
export function streamEndOf(request: StreamedRequest): Promise<void> | undefined {
  return request[streamEnd];
}

/**
 * A reply whose body is these parts of text, each requested when the client has received most of those before it. Other
 * requests run between two parts, also when a part is read without waiting, as from SQLite. Throws
 * what the first part throws; an error of a later part is reported, and ends the connection without the end of the body.
 */
export async function streamText(
  { request, reportStreamError }: { request: StreamedRequest; reportStreamError: (error: unknown) => void },
  parts: AsyncGenerator<string, void>,
): Promise<Response> {
  const first = await parts.next();
  if (first.done) return new Response(null);
  let next: IteratorResult<string, void> | undefined = first;
  const { promise, resolve } = Promise.withResolvers<void>();
  request[streamEnd] = promise;

  function readPart(): Promise<IteratorResult<string, void>> {
    return parts.next().catch((error: unknown) => {
      reportStreamError(error);
      throw error;
    });
  }

  return new Response(
    new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (!next) await yieldToEventLoop();
        const part = next ?? (await readPart());
        next = undefined;
        if (!part.done) controller.enqueue(encoder.encode(part.value));
        else {
          resolve();
          // Bun does not find the connection of a request that has ended.
          await promise;
          controller.close();
        }
      },
      async cancel() {
        resolve();
        await parts.return();
      },
    }),
  );
}
