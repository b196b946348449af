import type { Fetch } from "../fetch.ts";
import { streamEndOf } from "./stream-text.ts";

/**
 * The reply to HEAD: the reply to GET, without the body. Elysia's own reply to HEAD has the length of the reply without a
 * coding, and 0 with 304.
 */
export async function answerHead(request: Request, fetch: Fetch): Promise<Response> {
  // Another request object would have no address: the server finds the connection by this one.
  Object.defineProperty(request, "method", { value: "GET", configurable: true });
  try {
    const response = await fetch(request);
    const { body, headers, status } = response;
    if (streamEndOf(request)) {
      await body?.cancel();
      // Otherwise Bun would add a content-length of 0.
      headers.set("transfer-encoding", "chunked");
    } else if (body && status !== 304)
      headers.set("content-length", String((await response.arrayBuffer()).byteLength));
    return new Response(null, { status, headers });
  } finally {
    // The access log reads the method after the reply.
    Reflect.deleteProperty(request, "method");
  }
}
