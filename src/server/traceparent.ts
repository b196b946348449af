/** W3C Trace Context, with a trace id and a parent id that are not zero. */
const traceparentPattern = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The text of a `traceparent` header; undefined for an invalid one. */
export function traceparentOf(header: string | null): string | undefined {
  return header !== null && traceparentPattern.test(header) ? header : undefined;
}
