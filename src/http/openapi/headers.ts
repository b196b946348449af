import type { JsonObject } from "../../shared/json.ts";
import type { Components } from "./components.ts";

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

const exampleTag = '"3.1x7k2m9qd0c4f1"';

/** A header, and whether replies with a status have it. */
function header(
  name: string,
  isIn: (status: number, facts: RouteFacts) => boolean,
  description: string,
  example?: string | number,
) {
  const type = typeof example === "number" ? "integer" : "string";
  return { name, isIn, description, schema: { type, ...(example !== undefined && { examples: [example] }) } };
}

const isOfWrite = (status: number, { isWrite }: RouteFacts) => isWrite && status < 400;

/** The headers of replies, by the names of their components. */
const headersOfReplies = {
  RequestId: header("x-request-id", () => true, "Identifies the request in the server's log"),
  PreferenceApplied: header(
    "preference-applied",
    (status, { isStrict }) => isStrict && (status < 300 || status === 400 || status === 409),
    "Present when the body was checked under `Prefer: handling=strict`",
    "handling=strict",
  ),
  EntityTag: header(
    "etag",
    // Of the rows that POST creates, keys and webhooks have no entity tag.
    (status, { statuses, tag }) =>
      (status === 200 && (statuses.includes("304") || statuses.includes("412"))) ||
      (status === 201 && tag !== "Keys" && tag !== "Webhooks") ||
      status === 304,
    "The version of the row, a hash of the response and the id of the row; weak when the response is compressed",
    exampleTag,
  ),
  Location: header("location", (status) => status === 201, "The path of the created row"),
  Link: header(
    "link",
    (status, { names }) => status < 400 && names.has("cursor"),
    "The paths of the first, previous, next and last page (RFC 8288), as far as they are known; absent when it would be longer than 3,000 characters",
    '</api/v1/accounts?page=1>; rel="first", </api/v1/accounts?page=2>; rel="next"',
  ),
  NextChanges: header(
    "link",
    (status, { path }) => status < 400 && path === "/api/v1/changes",
    "With `format=cloudevents`, the path of the next request (RFC 8288)",
    '</api/v1/changes?format=cloudevents&after=17>; rel="next"',
  ),
  IdempotentReplayed: header(
    "idempotent-replayed",
    isOfWrite,
    "Present when this is the stored response to an earlier request with the `Idempotency-Key`",
    "true",
  ),
  DryRun: header("dry-run", isOfWrite, "Present when nothing was stored, because of `dryRun=true`", "true"),
  WwwAuthenticate: header(
    "www-authenticate",
    (status) => status === 401,
    "The authentication schemes; Basic is not offered to browsers",
    'Basic realm="accountd", ApiKey realm="accountd"',
  ),
  AcceptEncoding: header(
    "accept-encoding",
    (status) => status === 415,
    "Present when the body had another content-encoding",
    "gzip",
  ),
  RetryAfter: header(
    "retry-after",
    (status) => [409, 429, 503].includes(status),
    "Seconds to wait before the next attempt",
    1,
  ),
};

export function replyHeaders(status: number, facts: RouteFacts, components: Components): JsonObject {
  const present = Object.entries(headersOfReplies).filter(([, { isIn }]) => isIn(status, facts));
  return Object.fromEntries(
    present.map(([key, { name, description, schema }]) => [
      name,
      components.share("headers", key, { description, schema }),
    ]),
  );
}

export function headerParameters({ isStrict, isWrite, statuses }: RouteFacts): JsonObject[] {
  const parameter = (isPresent: boolean, name: string, description: string, schema: JsonObject) =>
    isPresent ? [{ name, in: "header", description, schema: { type: "string", ...schema } }] : [];
  const isConditional = statuses.includes("412");
  return [
    ...parameter(isStrict, "Prefer", "`handling=strict` rejects unknown fields of the body (RFC 7240)", {
      examples: ["handling=strict"],
    }),
    ...parameter(
      isWrite,
      "Idempotency-Key",
      "1 to 255 visible ASCII characters, with or without quotes, new for each request. A repeated request with the same key is not run again: for 24 hours it has the first response, if that was a success",
      // With quotes, and a backslash before each character.
      { minLength: 1, maxLength: 512, examples: ["8e03978e-40d5-43dd-bc93-6894a57f9324"] },
    ),
    ...parameter(
      statuses.includes("304"),
      "If-None-Match",
      "Entity tags of earlier responses; 304 when one of them is the tag of the response",
      { examples: [exampleTag] },
    ),
    ...parameter(
      isConditional,
      "If-Match",
      "Entity tags of the row, or `*`; 412 when it is another row or has another version. Hashes are not compared",
      { examples: [exampleTag] },
    ),
    ...parameter(isConditional, "If-None-Match", "`*`: 412 when the row exists, so that a PUT only creates", {
      enum: ["*"],
    }),
  ];
}
