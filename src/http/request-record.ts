import { RequestTimes } from "../core/tenant/request-times.ts";

const recordKey = Symbol("record of the request");
type RecordedRequest = Request & { [recordKey]?: RequestRecord };
/** The methods that metrics and traces name; others are together, because a caller can send any. */
export const recordedMethods: ReadonlySet<string> = new Set(
  "GET HEAD POST PUT PATCH DELETE OPTIONS".split(" "),
);
/** The limits that end a request with 429: of a key, of an address, of streams, of tests of webhooks. */
type LimitKind = "key" | "address" | "streams" | "tests";

/**
 * What metrics, traces and the access log use of a request. It has no key and no value that a caller sent. It references no tenant:
 * the garbage collector frees a request later than what belongs to it.
 */
export type RequestRecord = {
  /** The pattern of the route; absent for a request that no route matches. */
  route?: string;
  organizationId?: number;
  keyId?: number;
  /** The code of the problem in the response. */
  code?: string;
  limit?: LimitKind;
  /** The bytes of the response, before their compression. */
  byteCount?: number;
  /** Present for the access log and traces. */
  times?: RequestTimes;
};

/** A request whose response begins. `milliseconds`: since the request arrived. */
export type RecordedReply = {
  request: Request;
  response: Response;
  record: RequestRecord;
  milliseconds: number;
};
export type ReplyListener = (reply: RecordedReply) => void;

export function beginRecord(request: RecordedRequest, { isTimed }: { isTimed: boolean }): RequestRecord {
  const record: RequestRecord = isTimed ? { times: new RequestTimes() } : {};
  request[recordKey] = record;
  return record;
}

/** Undefined where nothing is recorded. */
export function recordOf(request: RecordedRequest): RequestRecord | undefined {
  return request[recordKey];
}
