import { registerSchemaPath } from "@elysiajs/swagger/utils";
import type { AnyElysia, HTTPMethod } from "elysia";
import { ATTRIBUTES_PARAMETER } from "../../core/attributes/attributes.ts";
import type { ProblemCode } from "../../core/problem-types.ts";
import { asObject, type JsonObject } from "../../shared/json.ts";
import { requiredScope, type ScopeRequirement } from "../guard/required-scope.ts";
import { isApiPath } from "../guard/route-table.ts";
import type { Components } from "./components.ts";
import { headerParameters, type RouteFacts, replyHeaders } from "./headers.ts";
import { describeProblems } from "./problems.ts";

export type Operation = { path: string; method: string; tag: string; value: JsonObject };

/** Describes a route. Undefined for a route that is not documented. */
export function describeOperation(
  { method, path, hooks }: AnyElysia["routes"][number],
  components: Components,
): Operation | undefined {
  const { hide, security, ...detail } = hooks.detail ?? {};
  if (hide) return undefined;
  const body = hooks.body && toJson(hooks.body);
  const shapes: Record<string, unknown> = hooks.response ?? {};
  const replies = Object.entries(shapes).map(([status, shape]) => [status, toJson(shape)] as const);
  const [template, parameters] = readPath(method, path, hooks);
  const facts: RouteFacts = {
    method: method.toLowerCase(),
    path,
    tag: String(detail.tags?.[0] ?? ""),
    statuses: Object.keys(shapes),
    names: new Set(parameters.map(({ name }) => String(name))),
    members: body && new Set(Object.keys(asObject(firstForm(body).properties))),
    isStrict: body !== undefined && isApiPath(path),
    isWrite: "422" in shapes,
  };
  const all = [...parameters, ...headerParameters(facts)];
  const value = {
    ...detail,
    ...securityOf(detail.description, security),
    ...(all.length > 0 && { parameters: all }),
    ...(body && { requestBody: { required: true, content: bodyContentOf(body) } }),
    responses: Object.fromEntries(
      replies.map(([status, shape]) => [
        status,
        Number(status) < 400
          ? describeSuccess(status, shape, facts, components)
          : // Safe: `problems` in replies.ts adds the codes.
            describeProblems(status, shape, shape.codes as ProblemCode[], facts, components),
      ]),
    ),
  };
  return { path: template, method: facts.method, tag: facts.tag, value };
}

/** The path as a template, and the parameters of the path and of the query, as Elysia's plugin describes them. */
function readPath(
  method: string,
  path: string,
  { params, query }: AnyElysia["routes"][number]["hooks"],
): [template: string, parameters: JsonObject[]] {
  const schema = {};
  // Safe: a route of Elysia has one of its methods. The plugin would copy each body and reply for three media types.
  registerSchemaPath({ schema, path, method: method as HTTPMethod, hook: { params, query }, models: {} });
  const [[template, operations] = [path, {}]] = Object.entries(schema);
  const operation = asObject(toJson(operations)[method.toLowerCase()]);
  return [template, Object.values(operation.parameters ?? []).map((value) => parameterOf(asObject(value)))];
}

/** A schema as JSON, without the symbols of TypeBox and what Elysia adds to a schema that it compiled. */
export function toJson(schema: unknown): JsonObject {
  // Safe: a schema is an object of JSON, and of symbols, which are left out.
  const { additionalProperties: _, ...members } = asObject(JSON.parse(JSON.stringify(schema ?? {})));
  return members;
}

function firstForm(body: JsonObject): JsonObject {
  return Array.isArray(body.anyOf) ? asObject(body.anyOf[0]) : body;
}

/** A reply has one schema for its `mediaTypes`, and others by media type in `otherMediaTypes`. */
function contentOf({
  mediaTypes = ["application/json"],
  otherMediaTypes = {},
  ...schema
}: JsonObject): JsonObject {
  const schemas = Object.values(mediaTypes ?? {}).map((type) => [String(type), schema] as const);
  return Object.fromEntries(
    [...schemas, ...Object.entries(asObject(otherMediaTypes))].map(([type, schema]) => [type, { schema }]),
  );
}

/** With the example of the schema, because tools that send examples read the one of the media type. */
function bodyContentOf(body: JsonObject): JsonObject {
  const [example] = Array.isArray(body.examples) ? body.examples : [];
  return { "application/json": { schema: body, ...(example !== undefined && { example }) } };
}

/**
 * The scope of an operation, in an extension and in the description, because linters accept a list of scopes in
 * `security` with OAuth and OpenID Connect only. The `security` of the document applies.
 */
function securityOf(description: string | undefined, security: ScopeRequirement | undefined): JsonObject {
  const scope = requiredScope(security && { security });
  if (scope === undefined) return { security: [] };
  return {
    description: `${description} Needs ${scope === "any" ? "any scope" : `the scope \`${scope}\``}.`,
    "x-required-scope": scope,
  };
}

const successes: Record<string, string> = {
  200: "Success",
  201: "Created",
  204: "Deleted",
  304: "Not modified",
};

function describeSuccess(
  status: string,
  shape: JsonObject,
  facts: RouteFacts,
  components: Components,
): JsonObject {
  const hasContent = status !== "204" && status !== "304";
  return {
    description: successes[status] ?? "Success",
    headers: replyHeaders(Number(status), facts, components),
    ...(hasContent && { content: contentOf(shape) }),
  };
}

function parameterOf({
  name = "",
  in: place = "",
  required,
  description = null,
  examples,
  schema,
}: JsonObject): JsonObject {
  return {
    name,
    in: place,
    ...(required && { required }),
    description,
    ...(name === ATTRIBUTES_PARAMETER
      ? attributesParameter
      : shapeOf({ ...asObject(schema), ...(examples && { examples }) })),
  };
}

/** A list is separated by commas. */
function shapeOf({ hasNone, ...schema }: JsonObject): JsonObject {
  const none = { type: "string", enum: ["none"] };
  return {
    ...(schema.type === "array" && { style: "form", explode: false }),
    schema: hasNone ? { anyOf: [schema, none] } : schema,
  };
}

/** An object: `attributes[plan]=pro`, which is `attributes.plan=pro`. */
const attributesParameter = {
  name: "attributes",
  style: "deepObject",
  explode: true,
  schema: {
    type: "object",
    additionalProperties: { type: "string" },
    examples: [{ plan: "pro", "seats.gt": "5" }],
  },
};
