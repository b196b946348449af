import { anyScheme, requiredScope } from "../guard/required-scope.ts";
import { asObject, type Components, type JsonObject } from "./components.ts";
import { finishParameters } from "./parameters.ts";
import type { Operation } from "./problem-examples.ts";
import { contentOf, finishReply, pascal } from "./replies.ts";

/** An operation of the document, with where it is. */
type Located = { path: string; method: string; operation: JsonObject };

/** The paths of the document: what the plugin made of the routes, with everything that repeats in components. */
export function finishPaths(paths: JsonObject, components: Components): JsonObject {
  const located = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(asObject(methods)).map(([method, operation]) => ({
      path,
      method,
      operation: finishOperation(asOperation(path, method, asObject(operation)), components),
    })),
  );
  const finished: Record<string, JsonObject> = {};
  for (const { path, method, operation } of shareParameters(located, components))
    finished[path] = { ...finished[path], [method]: operation };
  return finished;
}

type PluginOperation = Operation & { source: JsonObject };

function asOperation(path: string, method: string, source: JsonObject): PluginOperation {
  // Safe: the plugin made the operation from our schemas, whose members are Constraints.
  return { ...(source as unknown as Operation), path, method, source };
}

function finishOperation(operation: PluginOperation, components: Components): JsonObject {
  const { requestBody, responses, parameters, security: _, ...rest } = operation.source;
  const all = finishParameters(parameters, operation);
  const replies = Object.entries(asObject(responses)).map(([status, reply]) => [
    status,
    finishReply(Number(status), asObject(reply), operation, components),
  ]);
  return {
    ...rest,
    ...securityOf(operation),
    ...(all.length > 0 && { parameters: all }),
    ...(requestBody && {
      requestBody: { required: true, content: contentOf(asObject(requestBody), "application/json") },
    }),
    responses: Object.fromEntries(replies),
  };
}

/**
 * The security schemes of an operation, and its scope: in an extension and in the description, because linters accept a
 * list of scopes in `security` with OAuth and OpenID Connect only.
 */
function securityOf(operation: PluginOperation): JsonObject {
  const scope = requiredScope(operation);
  if (scope === undefined) return { security: [] };
  return {
    description: `${operation.source.description} Needs the scope \`${scope}\`.`,
    security: anyScheme,
    "x-required-scope": scope,
  };
}

/** Moves each parameter that several operations have to the components. */
function shareParameters(located: readonly Located[], components: Components): Located[] {
  const tagsByParameter = new Map<string, string[]>();
  for (const { operation } of located)
    for (const parameter of parametersOf(operation)) {
      const key = JSON.stringify(parameter);
      tagsByParameter.set(key, [...(tagsByParameter.get(key) ?? []), tagOf(operation)]);
    }
  const share = (parameter: JsonObject): JsonObject => {
    const tags = tagsByParameter.get(JSON.stringify(parameter)) ?? [];
    return tags.length > 1
      ? components.share("parameters", parameterName(parameter, tags).replaceAll("-", ""), parameter)
      : parameter;
  };
  return located.map(({ path, method, operation }) => {
    const parameters = parametersOf(operation).map(share);
    return { path, method, operation: { ...operation, ...(parameters.length > 0 && { parameters }) } };
  });
}

/** `PageSize` where several tags have it; otherwise with the tag, such as `ContactExternalId`. */
function parameterName(parameter: JsonObject, tags: readonly string[]): string {
  const name = pascal(String(parameter.name).replace(/\[(\w+)\]/, " $1"));
  const noun = (tags[0] ?? "").replace(/s$/, "");
  if (new Set(tags).size > 1 || name.startsWith(noun)) return name;
  return `${noun}${name}${parameter.in === "query" ? "Filter" : ""}`;
}

function parametersOf({ parameters }: JsonObject): JsonObject[] {
  return Array.isArray(parameters) ? parameters.map(asObject) : [];
}

function tagOf({ tags }: JsonObject): string {
  return Array.isArray(tags) ? String(tags[0]) : "";
}
