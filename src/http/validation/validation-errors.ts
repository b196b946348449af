import type { ValueError } from "@sinclair/typebox/compiler";
import type { ValidationError } from "elysia";
import { type FieldViolation, maxListedViolations, Problem } from "../../core/errors.ts";
import { attributeViolations, isAttributesInput } from "./attribute-shapes.ts";
import { asConstraints, type Violation, validate, validateParameter, wrongType } from "./constraints.ts";

/** The problem of a request that does not match its schemas: one violation for each field or parameter, at most 20. */
export function validationProblem(error: ValidationError): Problem {
  // Safe: our schemas are TypeBox schemas, whose compiled validator lists its errors.
  const { validator } = error as unknown as { validator: { Errors(value: unknown): Iterable<ValueError> } };
  return invalidRequest(validator.Errors(error.value), error.type === "body");
}

export function invalidRequest(errors: Iterable<ValueError>, isBody: boolean): Problem {
  const violations = new Map<string, FieldViolation>();
  for (const valueError of errors) {
    if (violations.size === maxListedViolations) break;
    if (violations.has(valueError.path)) continue;
    if (isAttributesInput(valueError.schema)) {
      for (const violation of attributeViolations(valueError.value)) {
        const pointer = valueError.path + violation.pointer;
        if (violations.size < maxListedViolations) violations.set(pointer, { ...violation, pointer });
      }
      continue;
    }
    const location = isBody ? { pointer: valueError.path } : { parameter: valueError.path.slice(1) };
    violations.set(valueError.path, { ...location, ...describeError(valueError, isBody) });
  }
  return new Problem("invalid_request", { errors: [...violations.values()] });
}

function describeError(valueError: ValueError, isBody: boolean): Violation {
  if (valueError.value === undefined) return { code: "required", detail: "is required" };
  if (Array.isArray(valueError.value) && valueError.schema.type === "array") return wrongCount(valueError);
  const constraints = asConstraints(valueError.schema);
  const violation = (isBody ? validate : validateParameter)(constraints, valueError.value);
  return violation ?? wrongType(constraints);
}

/** The violation of a list with too few or too many elements. */
function wrongCount({ schema: { minItems, maxItems } }: ValueError): Violation {
  const count = minItems === maxItems ? String(minItems) : `${minItems ?? 0} to ${maxItems}`;
  return { code: "out_of_range", detail: `must have ${count} elements` };
}
