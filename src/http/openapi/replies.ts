import type { ProblemCode } from "../../core/errors.ts";
import { requiredScope } from "../guard/required-scope.ts";
import { isApiPath } from "../guard/route-table.ts";
import { asObject, type Components, type JsonObject } from "./components.ts";
import { etagHeader, hasEntityTag } from "./conditions.ts";
import {
  firstViolation,
  hasCursor,
  isGeneric,
  missingResource,
  type Operation,
  problemExamples,
} from "./problem-examples.ts";

const headers = {
  EntityTag: etagHeader,
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

/** Whether the operation is a write, which supports `Idempotency-Key` and `dryRun`. */
export function isWriteOperation({ responses }: Operation): boolean {
  return responses !== undefined && "422" in responses;
}

/** Whether the operation has a body that `Prefer: handling=strict` applies to. */
export function supportsPrefer({ path, requestBody }: Operation): boolean {
  return requestBody !== undefined && isApiPath(path);
}

/** The reply of an operation with a status: a success in place, a problem as a reference to a shared response. */
export function finishReply(
  status: number,
  reply: JsonObject,
  operation: Operation,
  components: Components,
): JsonObject {
  const header = (name: keyof typeof headers) => components.share("headers", name, headers[name]);
  const common = {
    "x-request-id": header("RequestId"),
    ...((status < 300 || status === 400 || status === 409) &&
      supportsPrefer(operation) && { "preference-applied": header("PreferenceApplied") }),
  };
  if (status < 400)
    return {
      description: successes[status] ?? "Success",
      headers: {
        ...common,
        ...(hasEntityTag(status, operation) && { etag: header("EntityTag") }),
        ...(status === 201 && { location: header("Location") }),
        ...(hasCursor(operation) && { link: header("Link") }),
        ...(isWriteOperation(operation) && {
          "idempotent-replayed": header("IdempotentReplayed"),
          "dry-run": header("DryRun"),
        }),
      },
      ...(status !== 204 && status !== 304 && { content: contentOf(reply, mediaTypeOf(reply)) }),
    };
  const examples = problemExamples(codesOf(reply), operation);
  const codes = examples.map(([code]) => code);
  const shared = examples.map(([code, value]) => [
    code,
    isGeneric(code, value) ? components.share("examples", code, { value }) : { value },
  ]);
  return components.share("responses", responseName(status, codes, operation), {
    description: codes.join(", "),
    headers: {
      ...common,
      ...(status === 401 && { "www-authenticate": header("WwwAuthenticate") }),
      ...(status === 415 && { "accept-encoding": header("AcceptEncoding") }),
      ...((status === 429 || status === 503 || codes.includes("idempotency_key_in_use")) && {
        "retry-after": header("RetryAfter"),
      }),
    },
    content: contentOf(reply, "application/problem+json", Object.fromEntries(shared)),
  });
}

const successes: Record<number, string> = {
  200: "Success",
  201: "Created",
  204: "Deleted",
  304: "Not modified",
};

/** The media type of a success, which its schema names unless it is JSON. */
function mediaTypeOf({ mediaType }: JsonObject): string {
  return typeof mediaType === "string" ? mediaType : "application/json";
}

/** The media type that the plugin lists first, under the one that is sent, without the others. */
export function contentOf(holder: JsonObject, mediaType: string, examples?: JsonObject): JsonObject {
  const media = asObject(Object.values(asObject(holder.content))[0]);
  // The plugin leaves the name and the description of a reply's schema with the reply.
  const { $id, description } = holder;
  const { mediaType: _, ...named } = asObject(media.schema);
  const schema = { ...named, ...($id && { $id }), ...(description && { description }) };
  return { [mediaType]: { schema, ...(examples && { examples }) } };
}

/** The component that a problem's response becomes, such as `AccountNotFound` or `MissingNameMember`. */
function responseName(status: number, codes: readonly ProblemCode[], operation: Operation): string {
  const [code = "internal_error"] = codes;
  if (status === 404) {
    const { noun, by } = missingResource(operation);
    return `${pascal(noun)}NotFound${by === "id" ? "" : "ByExternalId"}`;
  }
  if (status === 403) return `${pascal(requiredScope(operation) ?? "")}ScopeMissing`;
  if (codes.length > 1 || code === "invalid_request" || code === "external_id_conflict") {
    if (status === 400) return badRequestName(operation);
    if (status === 409) return `${operation.tags[0]?.replace(/s$/, "")}Conflict`;
    if (status === 503) return unavailableName(codes);
  }
  return pascal(code);
}

function unavailableName(codes: readonly ProblemCode[]): string {
  if (codes.includes("query_timeout")) return "ReadUnavailable";
  return codes.includes("too_busy") ? "WriteUnavailable" : "StoreUnavailable";
}

function badRequestName(operation: Operation): string {
  const violation = firstViolation(operation);
  if (!violation) return "InvalidQuery";
  const kind = violation.code === "required" ? "Missing" : "Invalid";
  if ("pointer" in violation) return `${kind}${pascal(violation.pointer.slice(1))}Member`;
  return `${kind}${pascal("parameter" in violation ? violation.parameter : "")}Parameter`;
}

/** `not_found`, `not-found`, `not found` or `notFound` as `NotFound`. */
export function pascal(text: string): string {
  return text.replace(/(?:^|[ _-])(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function codesOf({ codes }: JsonObject): ProblemCode[] {
  // Safe: `problems` in replies.ts put them there.
  return codes as ProblemCode[];
}
