import { Problem } from "../../core/errors.ts";
import { describeUnknownNames } from "../validation/unknown-names.ts";

/** The part of Elysia's context that the preference is read from and acknowledged in. */
export type PreferenceContext = {
  request: Request;
  set: { headers: Record<string, string | number | undefined> };
};

/**
 * With `Prefer: handling=strict`, acknowledges the preference and throws `unknown_member` when the body has
 * other members than the valid ones. Without it, does nothing.
 */
export function applyStrictHandling(
  { request, set }: PreferenceContext,
  body: object,
  valid: readonly string[],
): void {
  if (!prefersStrictHandling(request.headers.get("prefer"))) return;
  set.headers["preference-applied"] = "handling=strict";
  assertKnownMembers(body, valid);
}

/**
 * Throws `unknown_member` when an object has other members than the valid ones. `pointer` points to an object within
 * the body, and is named in `errors`.
 */
export function assertKnownMembers(body: object, valid: readonly string[], pointer?: string): void {
  const unknown = Object.keys(body).filter((name) => !valid.includes(name));
  if (unknown.length === 0) return;
  const detail = describeUnknownNames("field", unknown, valid);
  const errors = pointer === undefined ? [] : [{ pointer, code: "unknown_member" as const, detail }];
  throw new Problem("unknown_member", { detail, errors });
}

/** Whether a Prefer header (RFC 7240) has handling=strict. The first of repeated preferences counts. */
export function prefersStrictHandling(header: string | null): boolean {
  if (header === null) return false;
  for (const [element] of header.matchAll(listElement)) {
    const [, name = "", token, quoted = ""] = preference.exec(element) ?? [];
    if (name.toLowerCase() === "handling")
      return (token ?? quoted.replace(/\\(.)/g, "$1")).toLowerCase() === "strict";
  }
  return false;
}

/** An element of a comma-separated list. A comma in a quoted string separates nothing. */
const listElement = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g;
/** A name with an optional value. Parameters after it are ignored. */
const preference =
  /^[ \t]*([!#$%&'*+.^_`|~0-9a-z-]+)(?:[ \t]*=[ \t]*(?:([!#$%&'*+.^_`|~0-9a-z-]+)|"((?:[^"\\]|\\.)*)"))?[ \t]*(?:;|$)/i;
