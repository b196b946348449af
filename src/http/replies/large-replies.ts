import { countReplyGarbage } from "../../../db/garbage.ts";
import { maxTextBytes } from "../../core/lists/json-rows.ts";
import type { Tenant } from "../../core/tenant/tenant.ts";
import { noOrganization } from "../../core/turns.ts";
import type { ByteBudget } from "../byte-budget.ts";
import { recordOf } from "../request-record.ts";
import { gzip, markAsGzip } from "./compress-replies.ts";
import { streamText } from "./stream-text.ts";

const partBytes = 262_144;

/** The bytes of a large reply, which an organization uses. */
type LargeReply = {
  bytes: Uint8Array<ArrayBuffer>;
  organizationId: number;
  budget: ByteBudget;
  reportStreamError: (error: unknown) => void;
};
const largeReply = Symbol("bytes of the large response");
type LargeRequest = Request & { [largeReply]?: LargeReply };
const encoder = new TextEncoder();

type TextContext = {
  response: unknown;
  request: LargeRequest;
  tenant?: Tenant | undefined;
  reportStreamError?: (error: unknown) => void;
};

/**
 * For `mapResponse`: returns the JSON of a reply, which a handler returns as an object, a text or bytes. A large one uses the
 * budget from now on, and `largeReplyOf` sends it. Throws as `ByteBudget.acquire`, unless the request has written.
 */
export function createReplyWriter(budget: ByteBudget | undefined) {
  return async function writeReply({
    response,
    request,
    tenant,
    reportStreamError = () => {},
  }: TextContext): Promise<Response | undefined> {
    const json = typeof response === "string" || response instanceof Uint8Array ? response : textOf(response);
    if (json === undefined) return undefined;
    const record = recordOf(request);
    if (record?.times) record.byteCount = Buffer.byteLength(json);
    // A UTF-16 code unit has at most three bytes.
    if (!budget || (typeof json === "string" && json.length * 3 <= maxTextBytes)) return asResponse(json);
    // Safe: the service makes no bytes in shared memory.
    const bytes = typeof json === "string" ? encoder.encode(json) : (json as Uint8Array<ArrayBuffer>);
    const { byteLength } = bytes;
    if (byteLength <= maxTextBytes) return asResponse(bytes);
    countReplyGarbage(byteLength);
    const organizationId = tenant?.organizationId ?? noOrganization;
    // What a write has stored is acknowledged.
    if (request.method !== "GET") budget.use(organizationId, byteLength);
    else await budget.acquire({ organizationId, bytes: byteLength, isResponse: true }, request);
    request[largeReply] = { bytes, organizationId, budget, reportStreamError };
    return asResponse("");
  };
}

/** Elysia sends a text, or bytes, with the headers of the context. */
function asResponse(json: string | Uint8Array): Response {
  // Safe: Elysia makes the response.
  return json as unknown as Response;
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
  const large = request[largeReply];
  if (!large) return undefined;
  const { organizationId, budget, reportStreamError } = large;
  let usedBytes = large.bytes.byteLength;
  const use = (byteLength: number) => {
    budget.release(organizationId, usedBytes - byteLength);
    usedBytes = byteLength;
  };
  const release = () => use(0);
  if (request.signal.aborted) release();
  else request.signal.addEventListener("abort", release, { once: true });
  if (isGzipAccepted) markAsGzip(headers);

  async function* parts(whole: Uint8Array<ArrayBuffer>): AsyncGenerator<Uint8Array, void> {
    try {
      let bytes = whole;
      if (isGzipAccepted) {
        bytes = await gzip(bytes);
        // Otherwise the client has disconnected.
        if (usedBytes > 0) use(bytes.byteLength);
      }
      for (let start = 0; start < bytes.byteLength && usedBytes > 0; start += partBytes)
        yield bytes.subarray(start, start + partBytes);
    } finally {
      release();
    }
  }

  return streamText({ request, reportStreamError }, parts(large.bytes), { headers, status });
}
