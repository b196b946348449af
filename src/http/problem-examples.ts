import { type FieldViolation, Problem, type ProblemCode } from "../core/errors.ts";
import { type Constraints, type Violation, validate, validateParameter } from "./constraints.ts";
import { problemBody } from "./error-handler.ts";

/** An operation of the document, as far as its problems tell of it. */
export type Operation = {
  method: string;
  path: string;
  parameters?: { name: string; schema: Constraints }[];
  requestBody?: { content: Record<string, { schema: BodyShape }> };
};
type BodyShape = { properties?: Record<string, MemberShape>; anyOf?: BodyShape[] };
type MemberShape = Constraints | { type: "array" };

/** Problems that only some methods meet: without a body none is malformed. */
const only: Partial<Record<ProblemCode, string[]>> = {
  malformed_json: ["post", "put", "patch"],
  no_valid_fields: ["patch"],
};

/** An example of each of the problems that the operation can meet, as it answers it. */
export function problemExamples(codes: readonly ProblemCode[], operation: Operation) {
  const met = codes.filter((code) => only[code]?.includes(operation.method) ?? true);
  return met.map((code) => [code, { value: problemBody(problemAt(operation, code), "0b6a3c1e") }] as const);
}

function problemAt(operation: Operation, code: ProblemCode): Problem {
  const noun = resourceNoun(operation);
  switch (code) {
    case "invalid_request":
      return invalidRequest(violationOf(operation));
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
function violationOf({ method, path, parameters = [], requestBody }: Operation): FieldViolation | undefined {
  if (requestBody) {
    const [name = "", shape] = firstMember(requestBody);
    const refusal = shape && memberViolation(method, name, shape);
    return refusal && { pointer: `/${name}`, ...refusal };
  }
  const [first] = parameters;
  // An empty text in a path would be another path.
  const refusal =
    first && validateParameter(first.schema, path.includes(`{${first.name}}`) ? "x".repeat(256) : "");
  return refusal && { parameter: first.name, ...refusal };
}

function firstMember({ content }: NonNullable<Operation["requestBody"]>): [string?, MemberShape?] {
  const [media] = Object.values(content);
  const shape = media?.schema.anyOf?.[0] ?? media?.schema;
  return Object.entries(shape?.properties ?? {})[0] ?? [];
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
