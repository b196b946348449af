import { Problem } from "../../core/errors.ts";
import { codingOf } from "./content-coding.ts";

/** The types that a body in JSON may have. `detail` replaces the detail of the problem, which names application/json alone. */
type MediaTypes = { pattern: RegExp; detail?: string };

export const jsonTypes: MediaTypes = { pattern: /^application\/json[ \t]*(?:;|$)/i };

/** Analytics.js sends `text/plain`, to avoid preflights; RudderStack's SDK has the default type of its HTTP client. */
export const jsonTypesOfTools: MediaTypes = {
  pattern: /^(?:application\/json|text\/plain|application\/x-www-form-urlencoded)[ \t]*(?:;|$)/i,
  detail:
    "Send JSON with content-type: application/json, text/plain or application/x-www-form-urlencoded, with content-encoding gzip or none.",
};

/** Throws `unsupported_media_type` for a body of another type, or in another encoding than gzip. */
export function assertSupported(headers: Headers, types: MediaTypes): void {
  const isEncoded = codingOf(headers) === undefined;
  if (!isEncoded && types.pattern.test(headers.get("content-type") ?? "")) return;
  throw new Problem("unsupported_media_type", {
    ...(types.detail !== undefined && { detail: types.detail }),
    headers: isEncoded ? { "accept-encoding": "gzip" } : {},
  });
}
