import { acceptsGzip } from "../body/content-coding.ts";

/** A file in gzip that a build made and the binary embeds: its type, and the path of its content. */
export type StaticFile = { type: string; path: string };

/** The reply with a file, decompressed unless the request accepts gzip. */
export function sendFile(
  { type, path }: StaticFile,
  { request, set }: { request: Request; set: { headers: Record<string, string | number | undefined> } },
): Response {
  set.headers["content-type"] = type;
  const compressed = Bun.file(path);
  if (!acceptsGzip(request.headers.get("accept-encoding")))
    return new Response(compressed.stream().pipeThrough(new DecompressionStream("gzip")));
  set.headers["content-encoding"] = "gzip";
  return new Response(compressed);
}
