import { Problem } from "../../core/errors.ts";
import type { WriteReply } from "../../core/tenant/idempotency.ts";

/** What identifies a state of a row. An id is never used again. */
export type RowVersion = { id: number; version: number };

/** The part of Elysia's context that a conditional reply reads and sets. */
type TaggedReply = {
  request: Request;
  set: { status?: number | string; headers: Record<string, string | number | undefined> };
};

/** The length of a 64-bit hash in base 36. */
const hashLength = 13;
/** The parts of a tag: version and id of the row. */
const rowTag = /^"(\d+)\.[0-9a-z]{13}(\d+)"$/;

/** The entity tag of a reply about a row: the version, a dot, a hash of the reply's JSON text and the id of the row. */
function entityTagOf({ id, version }: RowVersion, text: string): string {
  return `"${version}.${Bun.hash(text).toString(36).padStart(hashLength, "0")}${id}"`;
}

/** The reply to a write. If it has a row: with its entity tag, and the body as JSON text. */
export function withEntityTag<Reply extends WriteReply>(reply: Reply): Reply {
  if (!reply.row) return reply;
  const body = JSON.stringify(reply.body);
  return { ...reply, headers: { ...reply.headers, etag: entityTagOf(reply.row, body) }, body };
}

/**
 * The reply to a GET of a row, with its entity tag. Caches may store it and must revalidate it. When If-None-Match has
 * the tag: 304 without a body. Throws `invalid_request` for an invalid header.
 */
export function conditionalReply<Body extends object>(
  { request, set }: TaggedReply,
  row: RowVersion,
  body: Body,
): Body {
  const text = JSON.stringify(body);
  const etag = entityTagOf(row, text);
  set.headers.etag = etag;
  set.headers["cache-control"] = "private, no-cache";
  const tags = readEntityTags(request.headers, "If-None-Match");
  // Safe: Elysia sends a text unchanged, and would send the object as this text.
  if (tags === undefined || !(tags === "*" || tags.includes(etag))) return text as unknown as Body;
  set.status = 304;
  delete set.headers["content-type"];
  // Safe: Elysia sends no body, as the document says for this status.
  return undefined as unknown as Body;
}

/**
 * The entity tags of a header, or `*`. Each tag has its quotes, but neither `W/` nor the suffix of a proxy that
 * compressed the reply. Undefined without the header. Throws `invalid_request` for another value.
 */
export function readEntityTags(
  headers: Headers,
  header: "If-Match" | "If-None-Match",
): readonly string[] | "*" | undefined {
  const value = headers.get(header);
  if (value === null) return undefined;
  if (value.trim() === "*") return "*";
  const tags = value.match(entityTags) ?? [];
  if (tags.length > 0 && separators.test(value.replace(entityTags, '"'))) return tags.map(withoutCoding);
  throw invalidHeader(header, 'must be "*" or entity tags in double quotes, separated by commas');
}

/** Whether a tag is one of this row in this version, with any hash. Another row can have the same external id later. */
export function matchesRow(tags: readonly string[] | "*", row: RowVersion): boolean {
  if (tags === "*") return true;
  return tags.some((tag) => {
    const [, version, id] = rowTag.exec(tag) ?? [];
    return version === String(row.version) && id === String(row.id);
  });
}

export function invalidHeader(header: string, detail: string): Problem {
  return new Problem("invalid_request", { errors: [{ header, code: "not_allowed", detail }] });
}

/** RFC 9110: no space, quote or control character within the quotes. */
const entityTags = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;
/** A list of tags in which each tag was replaced by one quote. Empty elements are allowed. */
const separators = /^[ \t,]*"(?:[ \t]*,[ \t,]*")*[ \t,]*$/;

/** Apache and Caddy append a suffix to the tag of a reply that they compress, and pass it on in If-Match. */
const codingSuffix = /(?:-(?:gzip|zstd|br|deflate))+"$/;

function withoutCoding(tag: string): string {
  return tag.replace(/^W\//, "").replace(codingSuffix, '"');
}

/** Makes the tag of a reply weak, because its bytes depend on the coding. */
export function weakenEntityTag(headers: Headers): void {
  const tag = headers.get("etag");
  if (tag?.startsWith('"')) headers.set("etag", `W/${tag}`);
}
