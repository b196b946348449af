import type { Fetch } from "../http/fetch.ts";
import { beginRecord, type RequestRecord } from "../http/request-record.ts";

/** A request whose response begins. `milliseconds`: since the request arrived. */
export type RecordedReply = {
  request: Request;
  response: Response;
  record: RequestRecord;
  milliseconds: number;
};
export type ReplyListener = (reply: RecordedReply) => void;

/** Calls each listener when the response to a request begins. `isTimed`: records where the time went, too. */
export function recordRequests(fetch: Fetch, listeners: readonly ReplyListener[], isTimed: boolean): Fetch {
  if (listeners.length === 0) return fetch;
  return async (request) => {
    const startedAt = performance.now();
    const record = beginRecord(request, { isTimed });
    const response = await fetch(request);
    const milliseconds = performance.now() - startedAt;
    for (const listener of listeners) listener({ request, response, record, milliseconds });
    return response;
  };
}
