import { type FieldViolation, Problem, type ProblemCode } from "../../core/errors.ts";
import { insufficientScope } from "../../core/tenant/scopes.ts";
import { jsonTypes, jsonTypesOfTools, unsupportedMediaType } from "../body/media-types.ts";
import { requiredScope, type ScopeRequirement } from "../guard/required-scope.ts";
import { isApiPath } from "../guard/route-table.ts";
import { problemBody } from "../replies/error-handler.ts";
import { type Constraints, type Violation, validate, validateParameter } from "../validation/constraints.ts";
import { describeUnknownNames } from "../validation/unknown-names.ts";
import type { JsonObject } from "./components.ts";

/** What the examples of an operation's problems are made from. */
export type Operation = {
  method: string;
  path: string;
  tags: string[];
  security?: ScopeRequirement;
  parameters?: { name: string; in: "path" | "query"; schema: Constraints }[];
  requestBody?: { content: Record<string, { schema: BodyShape }> };
  responses?: Record<string, unknown>;
};
type BodyShape = {
  properties?: Record<string, MemberShape>;
  required?: readonly string[];
  anyOf?: BodyShape[];
};
type MemberShape = Constraints | { type: "array" };

const attributeTypeConflict = new Problem("attribute_type_conflict", {
  errors: [
    {
      pointer: "/attributes/plan",
      code: "attribute_type_conflict",
      detail: "must be a string, as in the other rows with this attribute",
    },
  ],
});

/** An example of each problem that the operation can have, equal to its reply. */
export function problemExamples(codes: readonly ProblemCode[], operation: Operation) {
  return codes
    .filter((code) => canOccur(code, operation))
    .map((code) => [code, bodyOf(problemAt(operation, code))] as const);
}

function bodyOf(problem: Problem): JsonObject {
  // Safe: the body of a problem is sent as JSON.
  return problemBody(problem, "0b6a3c1e") as JsonObject;
}

/** Whether the example is the same for every operation. */
export function isGeneric(code: ProblemCode, example: JsonObject): boolean {
  const generic = code === "attribute_type_conflict" ? attributeTypeConflict : new Problem(code);
  return Bun.deepEquals(example, bodyOf(generic));
}

/** Whether the operation is a list that can be requested with a cursor. */
export function hasCursor({ parameters }: Operation): boolean {
  return parameters?.some(({ name }) => name === "cursor") ?? false;
}

function canOccur(code: ProblemCode, operation: Operation): boolean {
  const { method, path, requestBody } = operation;
  if (code === "invalid_request") return firstViolation(operation) !== undefined;
  if (code === "malformed_json") return requestBody !== undefined;
  if (code === "invalid_cursor") return hasCursor(operation);
  if (code === "attribute_type_conflict") return "attributes" in membersOf(requestBody);
  if (code === "no_valid_fields") return method === "patch";
  if (code === "unknown_parameter") return isApiPath(path);
  if (code === "unknown_member") return requestBody !== undefined && isApiPath(path);
  if (code === "outcome_unknown") return method !== "get";
  if (code === "query_timeout") return method === "get" && isApiPath(path);
  if (code === "too_busy") return requestBody !== undefined || (method === "get" && isApiPath(path));
  return true;
}

function problemAt(operation: Operation, code: ProblemCode): Problem {
  const noun = resourceNoun(operation);
  switch (code) {
    case "invalid_request":
      return new Problem(code, { errors: [firstViolation(operation)].filter((one) => one !== undefined) });
    case "unknown_parameter":
      return unknownParameter(operation);
    case "unknown_member":
      return new Problem(code, { detail: unknownMember(operation) });
    case "not_found":
      return new Problem(code, { detail: notFound(operation) });
    case "external_id_conflict":
      return new Problem(code, {
        detail: `Use another externalId, or update the ${noun} that has this one.`,
        errors: [{ pointer: "/externalId", code, detail: `is in use by another ${noun}` }],
      });
    case "insufficient_scope":
      return insufficientScope([requiredScope(operation) ?? "read"]);
    case "contact_email_conflict":
      return new Problem(code, {
        errors: [{ pointer: "/email", code, detail: "is in use by another contact of the account" }],
      });
    case "attribute_type_conflict":
      return attributeTypeConflict;
    case "unsupported_media_type":
      return unsupportedMediaType(isApiPath(operation.path) ? jsonTypes : jsonTypesOfTools);
    case "batch_failed": {
      const detail = "There is no account with this id in your organization.";
      return new Problem(code, { errors: [{ pointer: "/operations/0", code: "not_found", detail }] });
    }
    default:
      return new Problem(code);
  }
}

/** The violation in the example of `invalid_request`: of the first member of the body, or the first parameter. */
export function firstViolation({
  method,
  parameters = [],
  requestBody,
}: Operation): FieldViolation | undefined {
  if (requestBody && (method !== "post" || hasRequiredMember(requestBody))) {
    const [name = "", shape] = Object.entries(membersOf(requestBody))[0] ?? [];
    const violation = shape && memberViolation(method, name, shape);
    return violation && { pointer: `/${name}`, ...violation };
  }
  const candidates = [
    ...parameters.filter((one) => one.in === "query" && !one.schema.items),
    ...parameters.slice(0, 1),
  ];
  for (const { name, in: place, schema } of candidates) {
    // An empty text in a path would be another path.
    const violation = validateParameter(schema, place === "path" ? "x".repeat(256) : "");
    if (violation) return { parameter: name, ...violation };
  }
  return undefined;
}

/** The members of a body; of its first form when it has several. */
function membersOf(requestBody: Operation["requestBody"]): Record<string, MemberShape> {
  return shapeOf(requestBody)?.properties ?? {};
}

/** Whether a body without members is invalid. */
function hasRequiredMember(requestBody: Operation["requestBody"]): boolean {
  return (shapeOf(requestBody)?.required ?? []).length > 0;
}

function shapeOf(requestBody: Operation["requestBody"]): BodyShape | undefined {
  const [media] = Object.values(requestBody?.content ?? {});
  return media?.schema.anyOf?.[0] ?? media?.schema;
}

function memberViolation(method: string, name: string, shape: MemberShape): Violation | undefined {
  if (shape.type === "array") return { code: "wrong_type", detail: "must be an array" };
  if (method === "patch") return validate(shape, true);
  return {
    code: "required",
    detail: name === "accountId" ? "or accountExternalId is required" : "is required",
  };
}

function unknownParameter({ parameters = [] }: Operation): Problem {
  const names = parameters.filter((one) => one.in === "query").map(({ name }) => name);
  if (names.length === 0) return new Problem("unknown_parameter");
  const detail = describeUnknownNames("query parameter", [misspell(names[0])], names);
  return new Problem("unknown_parameter", { detail });
}

function unknownMember({ requestBody }: Operation): string {
  const names = Object.keys(membersOf(requestBody));
  return describeUnknownNames("member", [misspell(names[0])], names);
}

function misspell(name = "x"): string {
  return `${name}${name.at(-1)}`;
}

function notFound(operation: Operation): string {
  const { noun, by } = missingResource(operation);
  return `There is no ${noun} with this ${by} in your organization.`;
}

/** What a `not_found` of the operation is about: the account that a body names, or the resource that the path names. */
export function missingResource(operation: Operation): { noun: string; by: "id" | "externalId" } {
  if ("accountExternalId" in membersOf(operation.requestBody)) return { noun: "account", by: "id" };
  const noun = /\{(?!external)(\w+)Id\}/.exec(operation.path)?.[1];
  return noun === undefined ? { noun: resourceNoun(operation), by: "externalId" } : { noun, by: "id" };
}

/** The resource of the operation: `contact` of `/contacts/external/{externalId}`. */
function resourceNoun({ path }: Operation): string {
  return /\/(\w+)s(?:\/external)?(?:\/\{\w+\})?$/.exec(path)?.[1] ?? "";
}
