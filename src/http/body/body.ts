import type { TObject } from "@sinclair/typebox";
import { yieldToEventLoop } from "../../../db/event-loop.ts";
import { countGarbage, countYoungGarbage } from "../../../db/garbage.ts";
import { invalidField, Problem } from "../../core/errors.ts";
import type { Tenant } from "../../core/tenant/tenant.ts";
import { noOrganization, takeTurn } from "../../core/turns.ts";
import { maxBodyBytes, maxJsonDepth } from "../../shared/request-limits.ts";
import type { Reservation } from "../byte-budget.ts";
import type { IdempotentRequest } from "../resource/idempotency.ts";
import { applyStrictHandling, type PreferenceContext } from "../resource/prefer.ts";
import { codingOf } from "./content-coding.ts";
import { measureJson, topLevelText } from "./json-text.ts";
import { freeBytes, maxBodyBytesWithoutKey, maxSmallBodyBytes, readBytes, tooLarge } from "./read-bytes.ts";

/** Objects, arrays and scalars of a body: `JSON.parse` blocks the thread for as long as it makes them. */
const maxValues = 65_536;
/** The bytes of an empty object or array in memory. */
const bytesOfValue = 64;
/** Of larger bodies, an organization has at most 512 KiB at once in work. */
const largeBodyBytes = 32_768;
/** Of a body whose items may be as deep as in their own requests. */
const maxDepthOfItems = 11;

/** The types that a body in JSON may have. `detail` replaces the detail of the problem, which names application/json alone. */
type MediaTypes = { pattern: RegExp; detail?: string };

const jsonTypes: MediaTypes = { pattern: /^application\/json[ \t]*(?:;|$)/i };
/** Analytics.js sends `text/plain`, to avoid preflights; RudderStack's SDK has the default type of its HTTP client. */
const jsonTypesOfTools: MediaTypes = {
  pattern: /^(?:application\/json|text\/plain|application\/x-www-form-urlencoded)[ \t]*(?:;|$)/i,
  detail:
    "Send JSON with content-type: application/json, text/plain or application/x-www-form-urlencoded, with content-encoding gzip or none.",
};

/** The part of Elysia's context that the body parsers read. */
export type BodyContext = PreferenceContext & {
  /** Absent for a request without a key in its headers. */
  tenant?: Tenant | undefined;
  /** Absent where bodies are not limited together. */
  reservation?: Reservation | undefined;
  /** Sets the tenant from the key in the body. Set by the request guard when there is none in the headers. */
  authenticateBody?: ((writeKey: string) => Promise<Tenant>) | undefined;
  idempotency?: IdempotentRequest | undefined;
};

/**
 * A body parser for a route with this shape. It reads one JSON object: `application/json`, perhaps in gzip, at most
 * `maxBytes` of valid UTF-8, nested at most 8 deep, without NUL characters and lone surrogates. It returns the members
 * that the shape has, and throws a Problem otherwise.
 */
export function strictJson(shape: TObject, { maxBytes = maxBodyBytes } = {}) {
  const names = Object.keys(shape.properties);
  // Elysia fills in query, cookies and headers of a context that is passed on as a whole.
  return async ({ request, set, tenant, reservation, idempotency }: BodyContext): Promise<object> => {
    const context = { request, set, tenant, reservation, idempotency };
    const { body, text } = await readObject(context, { maxDepth: maxJsonDepth, maxBytes });
    // The decoder and the parser let a NUL or half a surrogate pair through only as an escape.
    if (riskyEscape.test(text)) checkText(body, shape);
    applyStrictHandling({ request, set }, body, names);
    return pickMembers(body, names);
  };
}

/** An escape of a NUL or of half a surrogate pair. */
const riskyEscape = /\\u(?:0000|d[89a-f])/i;

/** A JSON object with all of its members, its size in bytes of JSON, and its depth of nesting. */
export type ParsedBody = { body: object; size: number; depth: number };

/** Takes the object out, so that memory is freed while a write waits: JSON can take a thousand times its size. */
export function releaseBody(parsed: ParsedBody): object {
  const { body } = parsed;
  parsed.body = {};
  return body;
}

/**
 * A body parser for a route that validates the members itself: it returns all of them. `validMembers` returns those
 * that a body may have at its top level under strict handling; it is absent where that is not supported. `isOfTools`:
 * the JSON may be labelled as the SDKs of other tools do.
 */
export function readUnvalidatedJson({
  maxDepth = maxDepthOfItems,
  validMembers,
  isOfTools = false,
}: {
  maxDepth?: number;
  validMembers?: (body: object) => readonly string[];
  isOfTools?: boolean;
}) {
  const mediaTypes = isOfTools ? jsonTypesOfTools : jsonTypes;
  return async ({ request, set, tenant, reservation, authenticateBody, idempotency }: BodyContext) => {
    const context = { request, set, tenant, reservation, authenticateBody, idempotency };
    const maxBytes = authenticateBody ? maxBodyBytesWithoutKey : maxBodyBytes;
    const { body, size, depth } = await readObject(context, { maxDepth, maxBytes, mediaTypes });
    if (validMembers) applyStrictHandling({ request, set }, body, validMembers(body));
    return { body, size, depth } satisfies ParsedBody;
  };
}

/** For `derive` on routes with `readUnvalidatedJson`: its result, while `body` keeps the documented type. */
export function deriveParsedBody({ body }: { body: unknown }): { parsedBody: ParsedBody } {
  // Safe: `readUnvalidatedJson` made it.
  return { parsedBody: body as ParsedBody };
}

type BodyLimits = { maxDepth: number; maxBytes: number; mediaTypes?: MediaTypes };

async function readObject(context: BodyContext, limits: BodyLimits) {
  const { text, size, depth } = await readText(context, limits);
  const body = parse(text);
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new Problem("malformed_json", { detail: "The body must be a JSON object." });
  return { body, text, size, depth };
}

/** The text of the body, which is not parsed yet. Its bytes are freed. */
async function readText(
  { request, tenant, reservation, authenticateBody, idempotency }: BodyContext,
  { maxDepth, maxBytes, mediaTypes = jsonTypes }: BodyLimits,
) {
  const isEncoded = codingOf(request.headers) === undefined;
  if (isEncoded || !mediaTypes.pattern.test(request.headers.get("content-type") ?? ""))
    throw new Problem("unsupported_media_type", {
      ...(mediaTypes.detail !== undefined && { detail: mediaTypes.detail }),
      headers: isEncoded ? { "accept-encoding": "gzip" } : {},
    });
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const bytes = await readBytes(request, maxBytes, reservation);
  const size = bytes.byteLength;
  try {
    await assertNothingFollows(request);
    await takeTurn(tenant?.organizationId ?? noOrganization);
    // Before the body is parsed, which takes many times its memory.
    const writer = authenticateBody ? await authenticateBody(topLevelText(bytes, "writeKey")) : tenant;
    if (size > largeBodyBytes && writer) {
      await reservation?.beginWork(writer.organizationId, size);
      await assertNothingFollows(request);
      await takeTurn(writer.organizationId);
    }
    const { depth, valueCount } = measureJson(bytes);
    if (depth > maxDepth)
      throw new Problem("malformed_json", {
        detail: `Send one JSON object in UTF-8, nested at most ${maxDepth} levels deep.`,
      });
    if (valueCount > maxValues) throw new Problem("too_many_values");
    idempotency?.addBody(bytes);
    const parsedBytes = size + valueCount * bytesOfValue;
    if (size > maxSmallBodyBytes) countGarbage(parsedBytes);
    countYoungGarbage(parsedBytes);
    return { text: decode(bytes), size, depth };
  } finally {
    if (size > maxSmallBodyBytes) freeBytes(bytes);
  }
}

/** Other members are ignored, and are not kept in memory while a write waits for its commit. */
export function pickMembers(body: object, names: readonly string[]): object {
  // Safe: an object has members, of unknown values.
  const members = body as Record<string, unknown>;
  const sent = names.filter((name) => Object.hasOwn(members, name));
  return Object.fromEntries(sent.map((name) => [name, members[name]]));
}

/**
 * Bun replies 400 itself when more bytes follow a request, and aborts the request in the same turn of the event loop.
 * Throws then: nothing has been stored yet.
 */
export async function assertNothingFollows({ signal }: Request): Promise<void> {
  await yieldToEventLoop();
  if (signal.aborted) throw new Problem("invalid_request", { detail: "More bytes follow the request." });
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Problem("malformed_json", { detail: "The body must be valid UTF-8." });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem("malformed_json");
  }
}

/** Throws `invalid_request` when a text or a name in the body is not storable. */
export function checkText(body: object, shape: TObject): void {
  // Safe: an object has members, of unknown values.
  const members = body as Record<string, unknown>;
  const name = Object.keys(members).find((key) => !isStorable(key) || hasIllFormedText(members[key]));
  if (name === undefined) return;
  const detail = "must contain no NUL character and no lone surrogate";
  // An unknown name is the caller's text, and is not repeated.
  if (Object.hasOwn(shape.properties, name)) throw invalidField(`/${name}`, "ill_formed_text", detail);
  throw new Problem("invalid_request", { detail: `A text in the body ${detail}.` });
}

function hasIllFormedText(value: unknown): boolean {
  if (typeof value === "string") return !isStorable(value);
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hasIllFormedText);
  return Object.keys(value).some((name) => !isStorable(name)) || Object.values(value).some(hasIllFormedText);
}

/** Whether the database returns the text unchanged: it cuts at a NUL, and a lone surrogate is no UTF-8. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}
