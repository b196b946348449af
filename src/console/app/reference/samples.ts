import { asObject, type Json, type JsonObject } from "../../../shared/json.ts";

/** The object, with the members of what it refers to within the document. */
export function resolve(document: JsonObject, value: Json | undefined): JsonObject {
  const { $ref, ...rest } = asObject(value);
  if (typeof $ref !== "string") return rest;
  const steps = $ref.slice("#/".length).split("/");
  return { ...asObject(steps.reduce((place, step) => asObject(place[step]), document)), ...rest };
}

type SampleSource = { document: JsonObject; path: string; method: string; operation: JsonObject };

/**
 * The sample of an operation in TypeScript, with the typed client: the viewer makes those for curl and Python, but
 * knows no clients. The paths for other tools' SDKs and for probes have none.
 */
export function sampleOf(source: SampleSource, origin: string): string | undefined {
  if (!source.path.startsWith("/api/")) return undefined;
  return [
    'import { createClient } from "accountd-client";',
    "",
    `const server = "${origin}";`,
    "const key = String(process.env.ACCOUNTD_KEY);",
    "const client = createClient({ server, key });",
    "",
    ...callOf(source),
  ].join("\n");
}

function callOf({ document, path, method, operation }: SampleSource): string[] {
  const params = requiredParameters(document, operation);
  const [content] = Object.values(asObject(asObject(operation.requestBody).content));
  const types = replyTypesOf(document, operation);
  const options: JsonObject = {
    ...(Object.keys(params).length > 0 && { params }),
    ...(content && { body: asObject(content).example ?? {} }),
    ...(types.length > 0 && !types.includes("application/json") && { parseAs: "text" }),
  };
  const name = `client.${method.toUpperCase()}("${path}"`;
  const isEmpty = Object.keys(options).length === 0;
  const call = isEmpty ? `${name})` : `${name}, ${literal(options, maxLineCharacters - name.length)})`;
  if (types.length === 0) return [`await ${call};`];
  return [`const { data } = await ${call};`, "console.log(data);"];
}

/** The values of the required parameters, by place and name. */
function requiredParameters(document: JsonObject, { parameters }: JsonObject): Record<string, JsonObject> {
  const values: Record<string, JsonObject> = {};
  for (const parameter of Array.isArray(parameters) ? parameters : []) {
    const { in: place, name, required, schema } = resolve(document, parameter);
    if (required !== true) continue;
    values[String(place)] = { ...values[String(place)], [String(name)]: exampleOf(document, schema) };
  }
  return values;
}

/** The first example of a parameter, or what it can be. */
function exampleOf(document: JsonObject, schema: Json | undefined): Json {
  const { examples, enum: values, type, default: initial } = resolve(document, schema);
  if (initial !== undefined) return initial;
  for (const list of [examples, values]) if (Array.isArray(list) && list[0] !== undefined) return list[0];
  return type === "string" ? "text" : 1;
}

/** The media types of the successful replies. */
function replyTypesOf(document: JsonObject, { responses }: JsonObject): string[] {
  return Object.entries(asObject(responses))
    .filter(([status]) => status.startsWith("2"))
    .flatMap(([, reply]) => Object.keys(asObject(resolve(document, reply).content)));
}

const maxLineCharacters = 88;

/** A value as a TypeScript literal: on one line if that has at most `width` characters. */
function literal(value: Json, width = maxLineCharacters, indent = ""): string {
  const parts = partsOf(value, indent);
  if (!parts) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const line = isList ? `[${parts.join(", ")}]` : `{ ${parts.join(", ")} }`;
  if (line.length <= width && !line.includes("\n")) return line;
  const lines = parts.map((part) => `${indent}  ${part},\n`).join("");
  return isList ? `[\n${lines}${indent}]` : `{\n${lines}${indent}}`;
}

/** The members in the form of a literal, or undefined when the value has none. */
function partsOf(value: Json, indent: string): string[] | undefined {
  const deeper = `${indent}  `;
  if (Array.isArray(value)) return value.map((member) => literal(member, maxLineCharacters, deeper));
  if (typeof value !== "object" || value === null) return undefined;
  return Object.entries(value).map(([name, member]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `${key}: ${literal(member, maxLineCharacters, deeper)}`;
  });
}
