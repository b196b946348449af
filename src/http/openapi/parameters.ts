import { ATTRIBUTES_PARAMETER } from "../../core/attributes/attributes.ts";
import { asObject, type Json, type JsonObject } from "./components.ts";
import { conditionParameters } from "./conditions.ts";
import type { Operation } from "./problem-examples.ts";
import { isWriteOperation, supportsPrefer } from "./replies.ts";

/** The parameters of an operation: those that the plugin made of its schemas, and its headers. */
export function finishParameters(ofSchemas: Json | undefined, operation: Operation): JsonObject[] {
  return [
    ...(Array.isArray(ofSchemas) ? ofSchemas.map(finishParameter) : []),
    ...(supportsPrefer(operation) ? [preferParameter] : []),
    ...(isWriteOperation(operation) ? [idempotencyParameter] : []),
    ...conditionParameters(operation),
  ];
}

const preferParameter = {
  name: "Prefer",
  in: "header",
  required: false,
  description: "`handling=strict` rejects unknown members of the body (RFC 7240)",
  schema: { type: "string", examples: ["handling=strict"] },
};

const idempotencyParameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
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

/** Moves the examples to the schema: in the parameter itself they would have names. A list is separated by commas. */
function finishParameter(parameter: Json): JsonObject {
  const { examples, schema, ...rest } = asObject(parameter);
  if (rest.name === ATTRIBUTES_PARAMETER) return { ...rest, ...attributesParameter };
  const isInBrackets = String(rest.name).endsWith("]");
  const isList = asObject(schema).type === "array";
  return {
    ...rest,
    ...((isInBrackets || isList) && { style: "form", explode: !isList }),
    schema: { ...finishSchema(asObject(schema)), ...(examples && { examples }) },
  };
}

/** An object whose members are parameters of their own. */
const attributesParameter = {
  name: "attributes",
  style: "form",
  explode: true,
  schema: {
    type: "object",
    additionalProperties: { type: "string" },
    examples: [{ "attributes.plan": "pro", "attributes.seats[gt]": "5" }],
  },
};

/** The schema, with the alternative `none` of a filter. A list stays one: generators would repeat the parameter otherwise. */
function finishSchema({ hasNone, ...schema }: JsonObject): JsonObject {
  const { description } = schema;
  const none = { type: "string", enum: ["none"] };
  return hasNone ? { anyOf: [schema, none], ...(description && { description }) } : schema;
}
