import { type FieldViolation, Problem, type ProblemCode } from "../core/errors.ts";
import { type Constraints, type Violation, validate, validateParameter } from "./constraints.ts";
import { problemBody } from "./error-handler.ts";
import { describeUnknownNames } from "./unknown-names.ts";

/** What the examples of an operation's problems are made from. */
export type Operation = {
  method: string;
  path: string;
  parameters?: { name: string; in: "path" | "query"; schema: Constraints }[];
  requestBody?: { content: Record<string, { schema: BodyShape }> };
};
type BodyShape = { properties?: Record<string, MemberShape>; anyOf?: BodyShape[] };
type MemberShape = Constraints | { type: "array" };

/** An example of each problem that the operation can have, equal to its reply. */
export function problemExamples(codes: readonly ProblemCode[], operation: Operation) {
  return codes
    .filter((code) => canOccur(code, operation))
    .map((code) => [code, { value: problemBody(problemAt(operation, code), "0b6a3c1e") }] as const);
}

function canOccur(code: ProblemCode, { method, path, requestBody }: Operation): boolean {
  if (code === "malformed_json") return requestBody !== undefined;
  if (code === "no_valid_fields") return method === "patch";
  if (code === "unknown_parameter") return path.startsWith("/api/");
  if (code === "unknown_member") return requestBody !== undefined && path.startsWith("/api/");
  return true;
}

function problemAt(operation: Operation, code: ProblemCode): Problem {
  const noun = resourceNoun(operation);
  switch (code) {
    case "invalid_request":
      return invalidRequest(violationOf(operation));
    case "unknown_parameter":
      return new Problem(code, { detail: unknownParameter(operation) });
    case "unknown_member":
      return new Problem(code, { detail: unknownMember(operation) });
    case "not_found":
      return new Problem(code, {
        detail: `There is no ${missingResource(operation)} in your organization.`,
      });
    case "external_id_conflict":
      return new Problem(code, {
        detail: `Use another externalId, or update the ${noun} that has this one.`,
        errors: [{ pointer: "/externalId", code, detail: `is in use by another ${noun}` }],
      });
    case "contact_email_conflict":
      return new Problem(code, {
        errors: [{ pointer: "/email", code, detail: "is in use by another contact of the account" }],
      });
    default:
      return new Problem(code);
  }
}

function invalidRequest(violation: FieldViolation | undefined): Problem {
  return new Problem(
    "invalid_request",
    violation ? { errors: [violation] } : { detail: "Give each parameter once." },
  );
}

/** What a caller can have wrong first: a member that is not there or of another type, or a parameter. */
function violationOf({ method, parameters = [], requestBody }: Operation): FieldViolation | undefined {
  if (requestBody) {
    const [name = "", shape] = Object.entries(membersOf(requestBody))[0] ?? [];
    const refusal = shape && memberViolation(method, name, shape);
    return refusal && { pointer: `/${name}`, ...refusal };
  }
  const first = parameters.find((one) => one.in === "query") ?? parameters[0];
  // An empty text in a path would be another path.
  const violation = first && validateParameter(first.schema, first.in === "path" ? "x".repeat(256) : "");
  return violation && { parameter: first.name, ...violation };
}

function unknownParameter({ parameters = [] }: Operation): string {
  const names = parameters.filter((one) => one.in === "query").map(({ name }) => name);
  return describeUnknownNames("query parameter", [misspell(names[0])], names);
}

function unknownMember({ requestBody }: Operation): string {
  const names = Object.keys(membersOf(requestBody));
  return describeUnknownNames("member", [misspell(names[0])], names);
}

function misspell(name = "x"): string {
  return `${name}${name.at(-1)}`;
}

/** The members of a body; of its first form when it has several. */
function membersOf(requestBody: Operation["requestBody"]): Record<string, MemberShape> {
  const [media] = Object.values(requestBody?.content ?? {});
  const shape = media?.schema.anyOf?.[0] ?? media?.schema;
  return shape?.properties ?? {};
}

function memberViolation(method: string, name: string, shape: MemberShape): Violation | undefined {
  if (shape.type === "array") return { code: "wrong_type", detail: "must be an array" };
  if (method === "patch") return validate(shape, true);
  return {
    code: "required",
    detail: name === "accountId" ? "or accountExternalId is required" : "is required",
  };
}

/** What the operation keeps: the `contact` of `/contacts/external/{externalId}`. */
function resourceNoun({ path }: Operation): string {
  return /\/(\w+)s(?:\/external)?(?:\/\{\w+\})?$/.exec(path)?.[1] ?? "";
}

/** What may not be there: whose id stands in the path; or else the account that a body names. */
function missingResource(operation: Operation): string {
  const noun = /\{(?!external)(\w+)Id\}/.exec(operation.path)?.[1];
  if (noun === undefined && !operation.requestBody) return `${resourceNoun(operation)} with this externalId`;
  return `${noun ?? "account"} with this id`;
}
