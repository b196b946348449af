/** The accepted values of `Content-Encoding`. `x-gzip` is another name of `gzip` (RFC 9110, 8.4.1.3). */
const gzipNames = new Set(["gzip", "x-gzip"]);

/** How a body is encoded; undefined when it is encoded in another way, or more than once. */
export function codingOf(headers: Headers): "identity" | "gzip" | undefined {
  const name = (headers.get("content-encoding") ?? "").trim().toLowerCase();
  if (gzipNames.has(name)) return "gzip";
  return name === "" || name === "identity" ? "identity" : undefined;
}

/** The last header that was read: most clients send one. */
let last = { acceptEncoding: "", isAccepted: false };

/** Whether an `Accept-Encoding` accepts gzip and does not prefer a reply without coding (RFC 9110, 12.5.3). */
export function acceptsGzip(acceptEncoding: string | null): boolean {
  if (acceptEncoding === null) return false;
  if (acceptEncoding !== last.acceptEncoding)
    last = { acceptEncoding, isAccepted: isGzipAccepted(acceptEncoding) };
  return last.isAccepted;
}

function isGzipAccepted(acceptEncoding: string): boolean {
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(",")) {
    const [, name, weight = "1"] = coding.exec(part) ?? [];
    if (name !== undefined) weights.set(gzipNames.has(name) ? "gzip" : name, Number(weight));
  }
  const gzip = weights.get("gzip") ?? weights.get("*") ?? 0;
  return gzip > 0 && gzip >= (weights.get("identity") ?? 0);
}

const coding = /^\s*([^\s;]+)\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/;
