import { ElysiaCustomStatusResponse } from "elysia";
import type { Tenant } from "../../core/tenant/tenant.ts";
import { noOrganization, takeTurn } from "../../core/turns.ts";
import type { ByteBudget } from "../byte-budget.ts";
import { gzip, markAsGzip } from "./compress-replies.ts";
import { streamText } from "./stream-text.ts";

/** A larger text uses the budget, and is sent in parts of as many characters. */
const maxSmallBytes = 65_536;

/** The text of a large reply, which uses bytes of an organization. */
type LargeText = {
  text: string;
  organizationId: number;
  bytes: number;
  budget: ByteBudget;
  reportStreamError: (error: unknown) => void;
};
const largeText = Symbol("text of the large reply");
type LargeRequest = Request & { [largeText]?: LargeText };

type TextContext = {
  response: unknown;
  request: LargeRequest;
  set: { status?: number | string };
  tenant?: Tenant | undefined;
  reportStreamError?: (error: unknown) => void;
};

/**
 * For `mapResponse`: returns the text of a reply, which a handler returns as an object or as a text. A large text uses the
 * budget from now on, and `largeReplyOf` sends it. Throws as `ByteBudget.acquire`, unless the request has written.
 */
export function createReplyWriter(budget: ByteBudget | undefined) {
  return async function writeReply({
    response,
    request,
    set,
    tenant,
    reportStreamError = () => {},
  }: TextContext): Promise<Response | undefined> {
    const isStatus = response instanceof ElysiaCustomStatusResponse;
    const value: unknown = isStatus ? response.response : response;
    const text = typeof value === "string" ? value : textOf(value);
    if (text === undefined) return undefined;
    // Safe: the codes of the service are numbers.
    if (isStatus) set.status = response.code as number;
    // A UTF-16 code unit has at most three bytes.
    if (!budget || text.length * 3 <= maxSmallBytes) return asResponse(text);
    const bytes = Buffer.byteLength(text);
    if (bytes <= maxSmallBytes) return asResponse(text);
    const organizationId = tenant?.organizationId ?? noOrganization;
    // What a write has stored is acknowledged.
    if (request.method !== "GET") budget.use(organizationId, bytes);
    else await budget.acquire({ organizationId, bytes, isResponse: true }, request.signal);
    request[largeText] = { text, organizationId, bytes, budget, reportStreamError };
    return asResponse("");
  };
}

/** Elysia sends a text with the headers of the context. */
function asResponse(text: string): Response {
  // Safe: Elysia makes the response.
  return text as unknown as Response;
}

/** JSON of a plain object; undefined for another value, such as a response or a file. */
function textOf(value: unknown): string | undefined {
  return value?.constructor === Object ? JSON.stringify(value) : undefined;
}

/**
 * The reply with its large text in parts, in gzip if the client accepts it; undefined for another reply. Ends the use of
 * the budget when the client has received the text, or has disconnected.
 */
export function largeReplyOf(
  request: LargeRequest,
  { headers, status }: Response,
  isGzipAccepted: boolean,
): Promise<Response> | undefined {
  const large = request[largeText];
  if (!large) return undefined;
  const { organizationId, budget, reportStreamError } = large;
  const release = () => {
    budget.release(organizationId, large.bytes);
    large.bytes = 0;
  };
  if (request.signal.aborted) release();
  else request.signal.addEventListener("abort", release, { once: true });
  const parts = partsOf(large, isGzipAccepted, release);
  if (isGzipAccepted) markAsGzip(headers);
  const context = { request, reportStreamError, takeTurn: () => takeTurn(organizationId) };
  return streamText(context, parts, { headers, status });
}

async function* partsOf(
  large: LargeText,
  isGzipAccepted: boolean,
  release: () => void,
): AsyncGenerator<string | Uint8Array, void> {
  try {
    if (!isGzipAccepted) {
      const { text } = large;
      for (let start = 0, end = 0; start < text.length; start = end) {
        end = start + maxSmallBytes;
        // A part ends after a surrogate pair, not in it.
        if (isHighSurrogate(text.charCodeAt(end - 1))) end += 1;
        yield text.slice(start, end);
      }
      return;
    }
    const compressed = await gzip(Buffer.from(large.text));
    large.text = "";
    // The client has disconnected.
    if (large.bytes === 0) return;
    large.budget.release(large.organizationId, large.bytes - compressed.byteLength);
    large.bytes = compressed.byteLength;
    for (let start = 0; start < compressed.byteLength; start += maxSmallBytes)
      yield compressed.slice(start, start + maxSmallBytes);
  } finally {
    release();
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}
