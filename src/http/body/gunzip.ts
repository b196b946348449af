/**
 * Decompresses a body, in chunks of at most 64 KiB, each when the last one was read. The stream fails for what is not
 * one or more complete gzip members, and with `tooLarge` for more than `maxBytes` in gzip: members can be empty.
 */
export function gunzip(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  tooLarge: () => Error,
): ReadableStream<Uint8Array> | undefined {
  let size = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > maxBytes) controller.error(tooLarge());
      else controller.enqueue(chunk);
    },
  });
  // Safe: bytes to bytes. The types of Bun have another kind of buffer.
  const decompress = new DecompressionStream("gzip") as TransformStream<Uint8Array, Uint8Array>;
  return body?.pipeThrough(limit).pipeThrough(decompress);
}
