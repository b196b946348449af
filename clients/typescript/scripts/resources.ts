import { join } from "node:path";

/** The file of the generated functions. */
export const resourcesFile = join(import.meta.dir, "../src/resources.ts");

type Parameter = { name: string; in: string };
type Operation = {
  operationId: string;
  summary: string;
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: object;
  responses: Record<string, { content?: Record<string, object> }>;
};
export type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { parameters: Record<string, Parameter> };
};
type Sent = { method: string; path: string; operation: Operation };
/** The operations of a path, and the paths below it by their next segment. */
type Node = { sent: Sent[]; children: Map<string, Node> };

const root = "/api/v1/";

/**
 * The module with a function for each operation below `/api/v1`, named by its path and method:
 * `accounts.byExternalId(id).contacts.create(body)`.
 */
export function generateResources({ paths, components }: Document): string {
  const tree: Node = newNode();
  for (const [path, operations] of Object.entries(paths)) {
    if (!path.startsWith(root)) continue;
    for (const [method, operation] of Object.entries(operations)) {
      const [, name, format] = /^(\w+)\.(csv|jsonl)$/.exec(path.slice(root.length)) ?? [];
      const segments = name ? [name, `export${capitalize(format)}`] : path.slice(root.length).split("/");
      nodeOf(tree, segments).sent.push({ method: method.toUpperCase(), path, operation });
    }
  }
  // The client has functions of its own for them.
  tree.children.delete("changes");

  const names = (operation: Operation, place: string) =>
    (operation.parameters ?? [])
      .map((parameter) => ("$ref" in parameter ? referenced(parameter.$ref) : parameter))
      .filter((parameter) => parameter.in === place)
      .map(({ name }) => name);
  const referenced = (reference: string) => {
    const parameter = components.parameters[reference.split("/").at(-1) ?? ""];
    if (!parameter) throw new Error(`the document has no ${reference}`);
    return parameter;
  };
  const isList = ({ operation }: Sent) => names(operation, "query").includes("cursor");

  /** The members of the object for a node, whose paths have the parameters `outer` before. */
  function members(node: Node, outer: readonly string[]): string[] {
    const lines = node.sent.flatMap((sent) => functionsOf(sent, outer));
    for (const [segment, child] of node.children) {
      const parameter = parameterOf(segment);
      if (parameter) {
        lines.push(...child.sent.flatMap((sent) => functionsOf(sent, outer, parameter)));
        if (child.children.size > 0) lines.push(`byId: ${objectOf(child, outer, parameter)}`);
        continue;
      }
      const [inner = "", keyed] = [...child.children][0] ?? [];
      const key = parameterOf(inner);
      const isKey = child.sent.length === 0 && child.children.size === 1 && key !== undefined;
      if (isKey && keyed) lines.push(`by${capitalize(key)}: ${objectOf(keyed, outer, key)}`);
      else lines.push(`${camelCase(segment)}: ${memberOf(child, outer)}`);
    }
    return lines;
  }
  /** A function that returns the object for the path with a parameter. */
  function objectOf(node: Node, outer: readonly string[], parameter: string): string {
    const operation = firstOperation(node);
    return `(${parameter}: Path<"${operation.operationId}">["${parameter}"]) => ({${members(node, [...outer, parameter]).join(",\n")}})`;
  }
  /** A function if the node has one operation that creates nothing, which has what is below it as members; else an object. */
  function memberOf(node: Node, outer: readonly string[]): string {
    const [sent, ...others] = node.sent;
    const isFunction =
      sent && others.length === 0 && !(outer.length === 0 && isCollection(sent, isList(sent)));
    if (!isFunction) return `{${members(node, outer).join(",\n")}}`;
    const call = functionOf(sent, outer);
    const below = members({ sent: [], children: node.children }, outer);
    return below.length === 0 ? call : `Object.assign(${call}, {${below.join(",\n")}})`;
  }
  function functionsOf(sent: Sent, outer: readonly string[], own?: string): string[] {
    const all = [
      `/** ${sent.operation.summary}. */\n${verbOf(sent, isList(sent))}: ${functionOf(sent, outer, own)}`,
    ];
    if (isList(sent)) all.push(`/** One page. */\npage: ${functionOf(sent, outer, own, "page")}`);
    return all;
  }
  function functionOf(sent: Sent, outer: readonly string[], own?: string, kind = kindOf(sent)): string {
    const { method, path, operation } = sent;
    const id = `"${operation.operationId}"`;
    const hasBody = operation.requestBody !== undefined;
    const hasQuery = names(operation, "query").length > 0;
    const query = kind === "rows" ? "ListQuery" : "Query";
    const parameters = [
      ...(own === undefined ? [] : [`${own}: Path<${id}>["${own}"]`]),
      ...(hasBody ? [`body: Body<${id}>`] : []),
      ...(hasQuery ? [`query?: ${query}<${id}>`] : []),
      "options?: RequestOptions",
    ];
    const pathNames = [...outer, ...(own === undefined ? [] : [own])];
    const init = [
      ...(pathNames.length > 0 ? [`path: { ${pathNames.join(", ")} }`] : []),
      ...(hasBody ? ["body"] : []),
      ...(hasQuery ? ["query"] : []),
      "options",
    ];
    const where = kind === "rows" || kind === "page" || kind === "stream" ? "" : `"${method}", `;
    return `(${parameters.join(", ")}) => requests.${kind}<${id}>(${where}"${path}", { ${init.join(", ")} })`;
  }
  function kindOf(sent: Sent): string {
    if (isList(sent)) return "rows";
    const [reply = {}] = Object.entries(sent.operation.responses)
      .filter(([status]) => status.startsWith("2"))
      .map(([, reply]) => reply);
    const isJson = reply.content === undefined || "application/json" in reply.content;
    return isJson ? "call" : "stream";
  }

  return `// Generated by \`bun run build:client\` from the OpenAPI document. Do not edit.

import type { Body, ListQuery, Path, Query, RequestOptions, Requests } from "./requests.ts";

/** A function for each operation. */
export function createResources(requests: Requests) {
  return {${members(tree, []).join(",\n")}};
}
`;
}

function newNode(): Node {
  return { sent: [], children: new Map() };
}

function nodeOf(tree: Node, segments: readonly string[]): Node {
  let node = tree;
  for (const segment of segments) {
    const child = node.children.get(segment) ?? newNode();
    node.children.set(segment, child);
    node = child;
  }
  return node;
}

function firstOperation({ sent, children }: Node): Operation {
  const [first] = sent;
  if (first) return first.operation;
  const [child] = children.values();
  if (!child) throw new Error("a path without operations");
  return firstOperation(child);
}

function parameterOf(segment: string): string | undefined {
  return /^\{(\w+)\}$/.exec(segment)?.[1];
}

/** Whether the operation is of rows that are listed or created, although it is the only one of its path. */
function isCollection({ method, operation }: Sent, isList: boolean): boolean {
  return isList || (method === "POST" && /^(?:create|erase)/.test(operation.operationId));
}

function verbOf({ method, operation }: Sent, isList: boolean): string {
  if (method === "GET") return isList ? "list" : "get";
  if (method === "POST") return operation.operationId.startsWith("send") ? "send" : "create";
  return { PUT: "put", PATCH: "update", DELETE: "delete" }[method] ?? method.toLowerCase();
}

function camelCase(segment: string): string {
  return segment.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function capitalize(text = ""): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
