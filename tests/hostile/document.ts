import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { output } from "../binary/binary.ts";
import type { Reply } from "../faults/raw-connection.ts";
import { withoutReferences } from "../support/openapi.ts";
import type { Program } from "../support/proof.ts";
import { shapeFault } from "../support/shape-fault.ts";
import { headerOf, type Sent } from "./client.ts";

/** The part of JSON Schema that the document uses. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: readonly unknown[];
  examples?: readonly unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: string[];
  items?: Schema;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  format?: string;
};
/** `explode`: false of a list, which may be sent in several parameters. */
export type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  schema: Schema;
  explode?: boolean;
};
/** An operation: a method in capital letters, and a path with parameters in braces. */
export type Operation = {
  method: string;
  path: string;
  isPublic: boolean;
  parameters: Parameter[];
  body?: Schema;
  statuses: ReadonlySet<number>;
};

type Content = Record<string, { schema: Schema }>;
type Described = {
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
  security?: unknown[];
};
type Text = {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema> };
};

/** The OpenAPI document that the program prints, with shared parameters and responses resolved. */
export async function documentOf(program: Program): Promise<Document> {
  return new Document(withoutReferences(JSON.parse(await output(["openapi"], { program }))));
}

export class Document {
  readonly operations: readonly Operation[];
  /** The operations without what waits for changes: the stream, which has no end, and the parameter `wait`. */
  readonly promptOperations: Operation[];
  readonly #text: Text;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #checks = new Map<string, ValidateFunction>();

  constructor(text: Text) {
    this.#text = text;
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(text, "openapi.json");
    this.operations = Object.entries(text.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, described]) => operationOf(path, method, described)),
    );
    this.promptOperations = this.operations
      .filter(({ path }) => !path.endsWith("/stream"))
      .map((operation) => ({
        ...operation,
        parameters: operation.parameters.filter(({ name }) => name !== "wait"),
      }));
    if (this.operations.length === 0) throw new Error("the document has no operations");
  }

  /** The target of a reference. */
  resolve(schema: Schema): Schema {
    if (schema.$ref === undefined) return schema;
    const found = this.#text.components.schemas[schema.$ref.replace("#/components/schemas/", "")];
    if (!found) throw new Error(`the document has no ${schema.$ref}`);
    return found;
  }

  /** The difference between the reply to a request of the operation and the document, or undefined. */
  faultOf({ method, path, statuses }: Operation, sent: Sent, answer: Reply): string | undefined {
    const { status, body } = answer;
    const isRefused = status >= 400;
    // The text in place of an id may change the path.
    if (!statuses.has(status) && ![400, 404, 405].includes(status)) return `has no status ${status}`;
    const content = this.#text.paths[path]?.[method.toLowerCase()]?.responses[status]?.content;
    const types = isRefused ? ["application/problem+json"] : Object.keys(content ?? {});
    const type = headerOf(answer, "content-type") ?? "";
    if (!content && !isRefused) return body.length > 0 ? "has no content there" : undefined;
    if (!types.includes(type)) return `has no ${type} there`;
    if (sent.method === "HEAD") return undefined;
    const place = [
      "paths",
      path,
      method.toLowerCase(),
      "responses",
      String(status),
      "content",
      type,
      "schema",
    ];
    const pointer = isRefused ? "/components/schemas/Problem" : `/${place.map(pointerPart).join("/")}`;
    const check = this.#checks.get(pointer) ?? this.#ajv.compile({ $ref: `openapi.json#${pointer}` });
    this.#checks.set(pointer, check);
    try {
      const text = body.toString();
      return shapeFault(check, /json$/.test(type) ? JSON.parse(text) : text, sent.path);
    } catch {
      return "the body is no JSON";
    }
  }
}

function operationOf(path: string, method: string, described: Described): Operation {
  const { parameters = [], requestBody, responses, security } = described;
  const body = requestBody?.content["application/json"]?.schema;
  const statuses = new Set(Object.keys(responses).map(Number));
  return {
    method: method.toUpperCase(),
    path,
    isPublic: security?.length === 0,
    parameters,
    statuses,
    ...(body && { body }),
  };
}

function pointerPart(part: string): string {
  return encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));
}
