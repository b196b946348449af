import { countYoungGarbage } from "../../../db/garbage.ts";
import { Problem } from "../../core/errors.ts";
import { maxBodyBytes } from "../../shared/request-limits.ts";
import type { Reservation } from "../byte-budget.ts";
import { codingOf } from "./content-coding.ts";

/** The largest body of a request whose key is in the body, and of a sign-in. */
export const maxBodyBytesWithoutKey = 524_288;
export const maxSignInBytes = 4_096;
/** The bytes of a larger body are freed after they are decoded, and its rejection is delayed. */
export const maxSmallBodyBytes = 16_384;

/**
 * Reads the body of a request, without its gzip, and uses the budget for its bytes. Throws `payload_too_large` for more than
 * `maxBytes`, `malformed_json` for a body that ends early, and as `ByteBudget.acquire`.
 */
export async function readBytes(
  request: Request,
  maxBytes: number,
  reservation: Reservation | undefined,
): Promise<Uint8Array> {
  const contentLength = request.headers.get("content-length");
  const isGzip = codingOf(request.headers) === "gzip";
  const length = Number(contentLength ?? 0);
  const reserved = isGzip ? reservedFor(length, maxBytes) : length;
  try {
    if (reserved > 0) await reservation?.add(reserved);
    if (contentLength !== null && !isGzip) return await request.bytes();
    const body = isGzip ? gunzip(request.body, maxBytes) : request.body;
    return await readChunks(body, { maxBytes, reserved, reservation });
  } catch (error) {
    if (error instanceof Problem) throw error;
    // Without gzip, the caller closed the connection: no error of the service, and no reader of the reply.
    const detail = isGzip ? "The body must be one complete gzip stream." : "The body ended early.";
    throw new Problem("malformed_json", { detail });
  }
}

/**
 * Decompresses a body, in chunks of at most 64 KiB, each when the last one was read. The stream fails for what is not
 * one or more complete gzip members, and with `payload_too_large` for more than `maxBytes` in gzip: members can be empty.
 */
function gunzip(body: Request["body"], maxBytes: number): ReadableStream<Uint8Array> | undefined {
  let size = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > maxBytes) controller.error(tooLarge(maxBytes));
      else controller.enqueue(chunk);
    },
  });
  // Safe: bytes to bytes. The types of Bun have another kind of buffer.
  const decompress = new DecompressionStream("gzip") as TransformStream<Uint8Array, Uint8Array>;
  return body?.pipeThrough(limit).pipeThrough(decompress);
}

/** The bytes of a body whose size is not known. Large bodies that are read in part would wait for each other. */
function reservedFor(size: number, maxBytes: number): number {
  return size <= maxSmallBodyBytes ? size : maxBytes;
}

async function readChunks(
  body: ReadableStream<Uint8Array> | null | undefined,
  limits: { maxBytes: number; reserved: number; reservation: Reservation | undefined },
): Promise<Uint8Array> {
  const { maxBytes, reservation } = limits;
  const chunks: Uint8Array[] = [];
  let { reserved } = limits;
  let size = 0;
  try {
    for await (const chunk of body ?? []) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      if (size <= reserved) continue;
      const next = reservedFor(size, maxBytes);
      await reservation?.add(next - reserved);
      reserved = next;
    }
    reservation?.keep(size);
    return Buffer.concat(chunks);
  } finally {
    for (const chunk of chunks) freeBytes(chunk);
    // The stream of the body has buffers of its own.
    if (size > maxSmallBodyBytes) countYoungGarbage(size);
  }
}

/** Frees the bytes, unless others share their buffer. The garbage collector would free them much later. */
export function freeBytes({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

export function tooLarge(maxBytes: number): Problem {
  if (maxBytes === maxBodyBytes) return new Problem("payload_too_large");
  if (maxBytes === maxSignInBytes)
    return new Problem("payload_too_large", { detail: "Send a body of at most 4 KiB." });
  return new Problem("payload_too_large", {
    detail: "Send a body of at most 512 KiB, or send the key in a header.",
  });
}
