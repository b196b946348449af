import type { TSchema } from "@sinclair/typebox";
import type { ValueError } from "@sinclair/typebox/compiler";
import type { ValidationError } from "elysia";
import { type FieldViolation, Problem } from "../core/errors.ts";
import { type Constraints, type Violation, validate, validateParameter, wrongType } from "./constraints.ts";

const maxViolations = 20;

/** What a request's shapes found wrong with it, one line for each field or parameter, 20 at most. */
export function validationProblem(error: ValidationError): Problem {
  const inBody = error.type === "body";
  const violations = new Map<string, FieldViolation>();
  for (const found of errorsOf(error)) {
    if (violations.size === maxViolations) break;
    if (violations.has(found.path)) continue;
    const where = inBody ? { pointer: found.path } : { parameter: found.path.slice(1) };
    violations.set(found.path, { ...where, ...describeError(found, inBody) });
  }
  return new Problem("invalid_request", { errors: [...violations.values()] });
}

function errorsOf(error: ValidationError): Iterable<ValueError> {
  // Safe: every shape of ours is TypeBox's, whose compiled check lists its errors.
  const { validator } = error as unknown as { validator: { Errors(value: unknown): Iterable<ValueError> } };
  return validator.Errors(error.value);
}

function describeError(found: ValueError, inBody: boolean): Violation {
  if (found.value === undefined) return { code: "required", detail: "is required" };
  const rules = asConstraints(found.schema);
  return (inBody ? validate(rules, found.value) : validateParameter(rules, found.value)) ?? wrongType(rules);
}

function asConstraints(schema: TSchema): Constraints {
  // Safe: the members of our shapes are made from Rules; a shape that is not answers with its `type` alone.
  return schema as unknown as Constraints;
}
