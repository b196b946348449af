import type { Components, JsonObject } from "./components.ts";

/** What a route says about itself, from which the document describes its headers and problems. */
export type RouteFacts = {
  method: string;
  path: string;
  tag: string;
  statuses: readonly string[];
  names: ReadonlySet<string>;
  /** The members of the body; undefined without a body. */
  members: ReadonlySet<string> | undefined;
  /** Whether `Prefer: handling=strict` applies. */
  isStrict: boolean;
  isWrite: boolean;
};

const tag = '"3.1x7k2m9qd0c4f1"';

const headers = {
  EntityTag: {
    description:
      "The version of the row, a hash of the reply and the id of the row; weak when the reply is compressed",
    schema: { type: "string", examples: [tag] },
  },
  RequestId: { description: "Identifies the request in the server's log", schema: { type: "string" } },
  Location: { description: "The path of the created row", schema: { type: "string" } },
  WwwAuthenticate: {
    description: "The authentication scheme",
    schema: { type: "string", examples: ['ApiKey realm="accountd"'] },
  },
  RetryAfter: {
    description: "Seconds to wait before the next attempt",
    schema: { type: "integer", examples: [1] },
  },
  IdempotentReplayed: {
    description: "Present when this is the stored reply to an earlier request with the `Idempotency-Key`",
    schema: { type: "string", examples: ["true"] },
  },
  DryRun: {
    description: "Present when nothing was stored, because of `dryRun=true`",
    schema: { type: "string", examples: ["true"] },
  },
  AcceptEncoding: {
    description: "Present when the body had another content-encoding",
    schema: { type: "string", examples: ["gzip"] },
  },
  Link: {
    description:
      "The paths of the first, previous, next and last page (RFC 8288), as far as they are known; absent when it would be longer than 3,000 characters",
    schema: {
      type: "string",
      examples: ['</api/v1/accounts?page=1>; rel="first", </api/v1/accounts?page=2>; rel="next"'],
    },
  },
  PreferenceApplied: {
    description: "Present when the body was checked under `Prefer: handling=strict`",
    schema: { type: "string", examples: ["handling=strict"] },
  },
};

const names: Record<keyof typeof headers, string> = {
  RequestId: "x-request-id",
  PreferenceApplied: "preference-applied",
  EntityTag: "etag",
  Location: "location",
  Link: "link",
  IdempotentReplayed: "idempotent-replayed",
  DryRun: "dry-run",
  WwwAuthenticate: "www-authenticate",
  AcceptEncoding: "accept-encoding",
  RetryAfter: "retry-after",
};

/** The headers of a reply, as references. Of the rows that POST creates, only keys have no version. */
export function replyHeaders(status: number, facts: RouteFacts, components: Components): JsonObject {
  const { isStrict, isWrite, statuses, tag, names: parameters } = facts;
  const isSuccess = status < 400;
  const isVersioned = statuses.includes("304") || statuses.includes("412");
  const present: Record<keyof typeof headers, boolean> = {
    RequestId: true,
    PreferenceApplied: isStrict && (status < 300 || status === 400 || status === 409),
    EntityTag: (status === 200 && isVersioned) || (status === 201 && tag !== "Keys") || status === 304,
    Location: status === 201,
    Link: isSuccess && parameters.has("cursor"),
    IdempotentReplayed: isSuccess && isWrite,
    DryRun: isSuccess && isWrite,
    WwwAuthenticate: status === 401,
    AcceptEncoding: status === 415,
    RetryAfter: status === 429 || status === 503 || status === 409,
  };
  // Safe: the keys of an object with these keys.
  const shown = (Object.keys(names) as (keyof typeof headers)[]).filter((name) => present[name]);
  return Object.fromEntries(
    shown.map((name) => [names[name], components.share("headers", name, headers[name])]),
  );
}

const prefer = {
  name: "Prefer",
  in: "header",
  description: "`handling=strict` rejects unknown members of the body (RFC 7240)",
  schema: { type: "string", examples: ["handling=strict"] },
};
const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "1 to 255 visible ASCII characters, with or without quotes, new for each request. A repeated request with the same key is not run again: for 24 hours it has the first reply, if that was a success",
  schema: {
    type: "string",
    minLength: 1,
    // With quotes, and a backslash before each character.
    maxLength: 512,
    examples: ["8e03978e-40d5-43dd-bc93-6894a57f9324"],
  },
};
const ifNoneMatchOfGet = {
  name: "If-None-Match",
  in: "header",
  description: "Entity tags of earlier replies; 304 when one of them is the tag of the reply",
  schema: { type: "string", examples: [tag] },
};
const ifMatch = {
  name: "If-Match",
  in: "header",
  description:
    "Entity tags of the row, or `*`; 412 when it is another row or has another version. Hashes are not compared",
  schema: { type: "string", examples: [tag] },
};
const ifNoneMatch = {
  name: "If-None-Match",
  in: "header",
  description: "`*`: 412 when the row exists, so that a PUT only creates",
  schema: { type: "string", enum: ["*"] },
};

/** The header parameters of an operation. */
export function headerParameters({ isStrict, isWrite, statuses }: RouteFacts): JsonObject[] {
  return [
    ...(isStrict ? [prefer] : []),
    ...(isWrite ? [idempotencyKey] : []),
    ...(statuses.includes("304") ? [ifNoneMatchOfGet] : []),
    ...(statuses.includes("412") ? [ifMatch, ifNoneMatch] : []),
  ];
}
