import { weakenEntityTag } from "./entity-tags.ts";

/** A reply of at most this size is sent as it is: with its headers it fits into one packet. */
const minBytes = 1_024;
/** The fastest level. */
const options = { level: 1 } as const;

/** Compresses a large reply on another thread: that costs more, but does not block the serving thread. */
export async function gzip(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  // Imported at the first large reply: the module would slow down every start.
  const zlib = await import("node:zlib");
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  zlib.gzip(bytes, options, (error, compressed) => (error ? reject(error) : resolve(compressed)));
  return promise;
}

export function markAsGzip(headers: Headers): void {
  headers.set("content-encoding", "gzip");
  weakenEntityTag(headers);
}

/**
 * A small JSON reply of over 1 KiB in gzip, if it gets smaller. The entity tag of such a reply is weak, and so is the tag of a
 * 304, which may stand for one.
 */
export async function compress(response: Response): Promise<Response> {
  const { headers, status } = response;
  if (status === 304) weakenEntityTag(headers);
  // JSON lines are a stream, which is not compressed.
  if (!/^application\/(?:[\w-]+\+)?json\b/.test(headers.get("content-type") ?? "")) return response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const compressed = bytes.byteLength > minBytes ? Bun.gzipSync(bytes, options) : bytes;
  const isSmaller = compressed.byteLength < bytes.byteLength;
  if (isSmaller) markAsGzip(headers);
  return new Response(isSmaller ? compressed : bytes, { status, headers });
}
