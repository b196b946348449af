import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { createApp } from "../../src/app.ts";
import { createFetch } from "../../src/http/create-fetch.ts";
import { shapeFault } from "./shape-fault.ts";
import type { Reply } from "./world.ts";

type App = ReturnType<typeof createApp>;
type Media = { examples?: Record<string, unknown> };
type Response = { content?: Record<string, Media> };
type Operation = { responses: Record<string, Response | { $ref: string }> };
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, Response> };
};

let contract: Promise<Contract> | undefined;

/**
 * Throws when the OpenAPI document does not have the status of a reply, its media type, its schema, or an example of
 * its problem. A reply for a path or method that is not in the document must be 400, 404 or 405.
 */
export async function checkReply(app: App, method: string, path: string, reply: Reply): Promise<void> {
  if (path === "/" || path.startsWith("/docs") || path.startsWith("/console")) return;
  contract ??= readContract(app);
  (await contract).check(method, path, reply);
}

async function readContract(app: App): Promise<Contract> {
  const response = await createFetch(app.fetch)(new Request("http://localhost/docs/json"));
  return new Contract((await response.json()) as Document);
}

class Contract {
  readonly #document: Document;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #patterns: readonly { pattern: string; expression: RegExp }[];
  readonly #checks = new Map<string, ValidateFunction>();

  constructor(document: Document) {
    this.#document = document;
    this.#patterns = Object.keys(document.paths).map((pattern) => ({
      pattern,
      expression: new RegExp(`^${pattern.replace(/\{[^}]+\}/g, "[^/]+")}$`),
    }));
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(document, "openapi.json");
  }

  check(method: string, path: string, reply: Reply): void {
    const name = `${method} ${path}: ${reply.status}`;
    const pattern = this.#patternOf(path.split("?")[0] ?? "");
    const operation =
      pattern && this.#document.paths[pattern]?.[(method === "HEAD" ? "GET" : method).toLowerCase()];
    if (!operation) {
      if (![400, 404, 405].includes(reply.status)) throw new Error(`${name} is not in the document`);
      this.#checkShape(name, "#/components/schemas/Problem", reply, path);
      return;
    }
    const { content, pointer } = this.#responseOf(operation, [
      ...["paths", pattern, method === "HEAD" ? "get" : method.toLowerCase()],
      ...["responses", String(reply.status)],
    ]);
    if (!pointer) throw new Error(`${name}: the document has no such status`);
    const type = reply.headers.get("content-type") ?? "";
    if (!content) {
      if (reply.text !== "" || type !== "") throw new Error(`${name}: the document has no content there`);
      return;
    }
    if (!(type in content)) throw new Error(`${name}: the document has no ${type} there`);
    if (method === "HEAD") return;
    const { code } = reply.body;
    if (reply.status >= 400 && !Object.hasOwn(content[type]?.examples ?? {}, code))
      throw new Error(`${name}: the document has no ${code} there`);
    this.#checkShape(
      name,
      `${pointer}/${["content", type, "schema"].map(pointerPart).join("/")}`,
      reply,
      path,
    );
  }

  /** A response of the document and its pointer. A reference is followed to the shared response. */
  #responseOf({ responses }: Operation, place: readonly string[]): Response & { pointer?: string } {
    const response = responses[place.at(-1) ?? ""];
    if (!response) return {};
    if (!("$ref" in response)) return { ...response, pointer: `#/${place.map(pointerPart).join("/")}` };
    const shared = this.#document.components.responses[response.$ref.split("/").at(-1) ?? ""];
    if (!shared) throw new Error(`the document has no ${response.$ref}`);
    return { ...shared, pointer: response.$ref };
  }

  #checkShape(name: string, pointer: string, reply: Reply, path: string): void {
    if (reply.text === "") return;
    const check = this.#checks.get(pointer) ?? this.#ajv.compile({ $ref: `openapi.json${pointer}` });
    this.#checks.set(pointer, check);
    // The body of another media type, such as text/csv, is its text.
    const isJson = /\bjson\b/.test(reply.headers.get("content-type") ?? "");
    const fault = shapeFault(check, isJson ? reply.body : reply.text, path);
    if (fault !== undefined) throw new Error(`${name}: ${fault}\n${reply.text}`);
  }

  #patternOf(path: string): string | undefined {
    // A literal path has precedence over a pattern.
    if (Object.hasOwn(this.#document.paths, path)) return path;
    return this.#patterns.find(({ expression }) => expression.test(path))?.pattern;
  }
}

function pointerPart(part: string | number): string {
  return encodeURIComponent(String(part).replaceAll("~", "~0").replaceAll("/", "~1"));
}
