import { invalidField, Problem, type ViolationCode } from "../../core/errors.ts";
import type { ProblemCode } from "../../core/problem-types.ts";
import { insufficientScope } from "../../core/tenant/scopes.ts";
import type { JsonObject } from "../../shared/json.ts";
import { isApiPath } from "../guard/route-table.ts";
import { problemBody } from "../replies/error-handler.ts";
import { describeUnknownNames } from "../validation/unknown-names.ts";
import type { Components } from "./components.ts";
import { type RouteFacts, replyHeaders } from "./headers.ts";

const notFound = "There is no account with this id in your organization.";

/** The problem of one invalid field whose violation has the code of the problem. */
function violated(code: ProblemCode & ViolationCode, pointer: string, detail: string): Problem {
  return new Problem(code, { errors: [{ pointer, code, detail }] });
}

/** The examples of the problems whose replies say more than `core/errors.ts`. */
const examples = [
  invalidField("/name", "required", "is required"),
  new Problem("unknown_parameter", {
    detail: describeUnknownNames("query parameter", ["pageSizes"], ["pageSize"]),
  }),
  new Problem("unknown_member", { detail: describeUnknownNames("field", ["names"], ["name"]) }),
  new Problem("not_found", { detail: notFound }),
  insufficientScope(["read"]),
  violated("external_id_conflict", "/externalId", "is in use by another account"),
  violated("contact_email_conflict", "/email", "is in use by another contact of the account"),
  violated("user_id_conflict", "/userId", "is in use by another contact"),
  violated(
    "attribute_type_conflict",
    "/attributes/plan",
    "must be a string, as in the other rows with this attribute",
  ),
  violated(
    "attributes_too_large",
    "/attributes",
    "must leave the row with at most 32768 bytes of JSON, not 40000; null removes one",
  ),
  new Problem("attribute_values_conflict", {
    errors: [
      {
        pointer: "/type",
        code: "attribute_type_conflict",
        detail: "must fit all stored values; number of others: 1",
      },
    ],
  }),
  new Problem("batch_failed", {
    errors: [{ pointer: "/operations/0", code: "not_found", detail: notFound }],
  }),
];

function exampleOf(code: ProblemCode): JsonObject {
  const problem = examples.find((example) => example.code === code) ?? new Problem(code);
  // Safe: the body of a problem is sent as JSON.
  return { value: problemBody(problem, "0b6a3c1e") as JsonObject };
}

/** Whether the operation can have the problem, among the operations with its status. */
function canOccur(
  code: ProblemCode,
  { method, path, names, members, isStrict, statuses }: RouteFacts,
): boolean {
  const isApi = isApiPath(path);
  // A reply of 304 is for a header, which can be invalid.
  if (code === "invalid_request") return names.size > 0 || members !== undefined || statuses.includes("304");
  if (code === "malformed_json") return members !== undefined;
  if (code === "invalid_cursor") return names.has("cursor");
  if (code === "attribute_type_conflict" || code === "attributes_too_large")
    return members?.has("attributes") ?? false;
  if (code === "response_too_large")
    return method === "get" && /(?:v1\/accounts|\/contacts|Id\}?\/history)$/.test(path);
  // Only of an operation in a batch, whose reply is 200.
  if (code === "too_many") return false;
  if (code === "no_valid_fields") return method === "patch";
  if (code === "unknown_parameter") return isApi;
  if (code === "unknown_member") return isStrict;
  if (code === "outcome_unknown") return method !== "get";
  if (code === "query_timeout") return method === "get" && isApi;
  if (code === "too_busy") return members !== undefined || isApi;
  return true;
}

/** The reply of a status with problems: a reference to a response with an example of each code. */
export function describeProblems(
  status: string,
  { codes: _, ...schema }: JsonObject,
  statusCodes: readonly ProblemCode[],
  facts: RouteFacts,
  components: Components,
): JsonObject {
  const codes = statusCodes.filter((code) => canOccur(code, facts));
  const shared = codes.map((code) => [code, components.share("examples", code, exampleOf(code))]);
  return components.share("responses", responseName(codes), {
    description: codes.join(", "),
    headers: replyHeaders(Number(status), facts, components),
    content: { "application/problem+json": { schema, examples: Object.fromEntries(shared) } },
  });
}

const names: Partial<Record<ProblemCode, string>> = {
  no_valid_fields: "InvalidChanges",
  malformed_json: "InvalidBody",
  invalid_cursor: "InvalidListQuery",
  query_timeout: "ReadUnavailable",
  store_busy: "Unavailable",
  insufficient_scope: "Forbidden",
};

/** The component of a response: the name of its rarest code in the table, otherwise its first code. */
function responseName(codes: readonly ProblemCode[]): string {
  // Safe: the keys of the table above.
  const rarest = (Object.keys(names) as ProblemCode[]).find((code) => codes.includes(code));
  return (rarest && names[rarest]) ?? pascal(codes[0] ?? "internal_error");
}

/** `not_found`, `not-found`, `not found` or `notFound` as `NotFound`. */
export function pascal(text: string): string {
  return text.replace(/(?:^|[ _-])(\w)/g, (_, letter: string) => letter.toUpperCase());
}
