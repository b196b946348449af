import { ATTRIBUTES_PARAMETER } from "../../core/attributes/attributes.ts";
import { Problem } from "../../core/errors.ts";
import { consolePages } from "./console-paths.ts";
import { type RequiredScope, requiredScope } from "./required-scope.ts";

/** Public paths whose requests never wait for a turn. */
export const probePaths: ReadonlySet<string> = new Set(["/livez", "/readyz"]);
/** The paths that need no key. Every other path needs one, new paths included. */
export const publicPaths: ReadonlySet<string> = new Set([
  ...probePaths,
  "/",
  "/docs",
  "/docs/",
  "/docs/json",
  "/docs/assets/:file",
  "/docs/guides",
  "/docs/guides/",
  "/docs/guides/:name",
  "/llms.txt",
  "/llms-full.txt",
  ...consolePages.flatMap((path) => [path, `${path}/`]),
  "/console/assets/:file",
  "/console/session",
]);

/** Whether unknown names are reported at the path. Elsewhere they are ignored, as senders such as Segment expect. */
export function isApiPath(path: string): boolean {
  return path.startsWith("/api/");
}

/** Whether other tools send their events to the path. The key may be in the body: most of them set no header. */
export function isIngestPath(path: string): boolean {
  return path.startsWith("/v1/");
}

export type Route = { method: string; path: string; hooks: { query?: unknown; detail?: object } };

/** The route that a method and a path select: its pattern, such as `/api/v1/accounts/:accountId`. */
export type RouteMatch = {
  readonly pattern: string;
  /** The query parameters of the operation. */
  readonly parameters: ReadonlySet<string>;
  /** The parameters that are lists. */
  readonly lists: ReadonlySet<string>;
  /** Whether filters by attributes are parameters, too. */
  readonly hasAttributes: boolean;
  /** Whether other query parameters are `unknown_parameter`. */
  readonly isStrict: boolean;
  /** The scope that the key needs. Undefined only for a public path, and for a route without one: it is rejected. */
  readonly scope: RequiredScope | undefined;
};

type RouteNode = {
  readonly pattern: string;
  readonly methods: Map<string, RouteMatch>;
  readonly children: Map<string, RouteNode>;
};

/** The paths and methods of the app, made from its routes. */
export class RouteTable {
  readonly #root: RouteNode = newNode("");

  constructor(routes: readonly Route[]) {
    for (const { method, path, hooks } of routes) {
      let node = this.#root;
      for (const segment of path.split("/").slice(1)) node = descend(node, segment);
      const match = {
        pattern: node.pattern,
        parameters: parameterNames(hooks.query),
        lists: parameterNames(hooks.query, isList),
        hasAttributes: parameterNames(hooks.query).has(ATTRIBUTES_PARAMETER),
        isStrict: isApiPath(path),
        scope: requiredScope(hooks.detail),
      };
      node.methods.set(method, match);
      if (method === "GET") node.methods.set("HEAD", match);
    }
  }

  /** Whether a route has the path, with any method. */
  has(path: string): boolean {
    return this.#findNode(path) !== undefined;
  }

  /** Throws a Problem when no route has the path, or none has the path and the method. */
  find(method: string, path: string): RouteMatch {
    const node = this.#findNode(path);
    if (!node) throw new Problem("not_found");
    const match = node.methods.get(method);
    if (match) return match;
    const allow = [...node.methods.keys()].sort().join(", ");
    const detail = `Use ${node.methods.size === 1 ? allow : `one of ${allow}`}.`;
    throw new Problem("method_not_allowed", { headers: { allow }, detail });
  }

  #findNode(path: string): RouteNode | undefined {
    let node: RouteNode | undefined = this.#root;
    for (const segment of path.split("/").slice(1)) {
      node = node.children.get(segment) ?? (segment === "" ? undefined : node.children.get(WILDCARD));
      if (!node) return undefined;
    }
    return node.methods.size === 0 ? undefined : node;
  }

  /**
   * The path with `…` for each segment that a caller chose: one of them may be a misplaced key. Literal segments of
   * routes and ids that the service assigned stay.
   */
  loggablePath(path: string): string {
    let node: RouteNode | undefined = this.#root;
    const segments = path.split("/").map((segment, index) => {
      if (index === 0 || segment === "") return "";
      const child = node?.children.get(segment);
      node = child ?? node?.children.get(WILDCARD);
      return child || (node && isAssignedId(node, segment)) ? segment : "…";
    });
    return segments.join("/");
  }
}

const WILDCARD = ":";

function isAssignedId({ pattern }: RouteNode, segment: string): boolean {
  return !pattern.endsWith("/:externalId") && /^\d{1,16}$/.test(segment);
}

function newNode(pattern: string): RouteNode {
  return { pattern, methods: new Map(), children: new Map() };
}

function descend(node: RouteNode, segment: string): RouteNode {
  const key = segment.startsWith(":") ? WILDCARD : segment;
  return node.children.getOrInsertComputed(key, () => newNode(`${node.pattern}/${segment}`));
}

function parameterNames(shape: unknown, matches = (_schema: unknown) => true): Set<string> {
  const isObject = typeof shape === "object" && shape !== null && "properties" in shape;
  const properties = Object.entries(isObject ? (shape.properties ?? {}) : {});
  return new Set(properties.flatMap(([name, schema]) => (matches(schema) ? name : [])));
}

function isList(schema: unknown): boolean {
  return typeof schema === "object" && schema !== null && "type" in schema && schema.type === "array";
}
