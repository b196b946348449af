import type { Position } from "./model-listing.ts";
import type { Body, Kind } from "./model-rows.ts";

/** One request. In `body`, "now-5" is the timestamp of five milliseconds ago. */
export type Asked = {
  org: number;
  op:
    | "create"
    | "get"
    | "patch"
    | "put"
    | "delete"
    | "list"
    | "events"
    | "unmatched"
    | "usage"
    | "changes"
    | "history"
    | "batch"
    | "upsert";
  kind: Kind;
  /** The id of the row; for creates and lists of sub-resources, the id of the account. */
  id?: number;
  /** The external id in the path, instead of an id. */
  externalId?: string;
  body: Body;
  query: Record<string, string>;
  requestId?: string;
  /** The Idempotency-Key. */
  key?: string;
  ifMatch?: string;
  ifNoneMatch?: string;
  /** Those of a batch. */
  operations?: readonly Asked[];
  isAtomic?: boolean;
  /** With a cursor: the position of the last row before it. */
  after?: Position;
};
