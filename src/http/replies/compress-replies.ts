import { weakenEntityTag } from "./entity-tags.ts";

/** A reply of at most this size is sent as it is: with its headers it fits into one packet. */
const minBytes = 1_024;
/** A larger reply is compressed on another thread: that costs more, but does not block the serving thread. */
const maxBytesInPlace = 65_536;
/** The fastest level. */
const options = { level: 1 } as const;

/** Imported at the first large reply: the module would slow down every start. */
async function gzipOnThread(bytes: Uint8Array): Promise<Uint8Array> {
  const { gzip } = await import("node:zlib");
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  gzip(bytes, options, (error, compressed) => (error ? reject(error) : resolve(compressed)));
  return promise;
}

/**
 * A JSON reply of over 1 KiB in gzip, if it gets smaller. The entity tag of such a reply is weak, and so is the tag of a
 * 304, which may stand for one.
 */
export async function compress(reply: Response | Promise<Response>): Promise<Response> {
  const response = await reply;
  const { headers, status } = response;
  if (status === 304) weakenEntityTag(headers);
  // JSON lines are a stream, which is not compressed.
  if (!/^application\/(?:problem\+)?json\b/.test(headers.get("content-type") ?? "")) return response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const compressed = bytes.byteLength > minBytes ? await compressBytes(bytes) : bytes;
  const isSmaller = compressed.byteLength < bytes.byteLength;
  if (isSmaller) {
    headers.set("content-encoding", "gzip");
    weakenEntityTag(headers);
  }
  return new Response(isSmaller ? compressed : bytes, { status, headers });
}

async function compressBytes(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  if (bytes.byteLength <= maxBytesInPlace) return Bun.gzipSync(bytes, options);
  // Safe: the bytes are in no buffer that threads share.
  return (await gzipOnThread(bytes)) as Uint8Array<ArrayBuffer>;
}
