import { yieldToEventLoop } from "../../db/event-loop.ts";

const encoder = new TextEncoder();

/**
 * A reply whose body is these parts of text, each requested when the client has received most of those before it. Other
 * requests run between two parts, also when a part is read without waiting, as from SQLite. Throws
 * what the first part throws; an error of a later part is reported, and ends the connection without the end of the body.
 */
export async function streamText(
  { request, reportStreamError }: { request: Request; reportStreamError: (error: unknown) => void },
  parts: AsyncGenerator<string, void>,
): Promise<Response> {
  const first = await parts.next();
  if (request.method === "HEAD" || first.done) {
    await parts.return();
    // As in the reply to GET: otherwise Bun would add a content-length of 0.
    return new Response(null, { headers: first.done ? {} : { "transfer-encoding": "chunked" } });
  }
  let next: IteratorResult<string, void> | undefined = first;

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
        if (part.done) controller.close();
        else controller.enqueue(encoder.encode(part.value));
      },
      async cancel() {
        await parts.return();
      },
    }),
  );
}
