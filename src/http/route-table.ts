import { Problem } from "../core/errors.ts";

/** The paths that need no key. Every other path does, also one that is added and forgotten here. */
export const publicPaths: ReadonlySet<string> = new Set([
  "/livez",
  "/readyz",
  "/docs",
  "/docs/json",
  "/docs/assets/:file",
]);

export type Route = { method: string; path: string; hooks: { query?: unknown } };

/** A path that there is: its pattern, such as `/api/v1/accounts/:accountId`, and its query parameters. */
export type RouteNode = {
  readonly pattern: string;
  readonly parameters: Set<string>;
  readonly methods: Set<string>;
  readonly below: Map<string, RouteNode>;
};

/** Which paths there are, and by which methods; made from the routes themselves. */
export class RouteTable {
  readonly #root: RouteNode = newNode("");

  constructor(routes: readonly Route[]) {
    for (const { method, path, hooks } of routes) {
      let place = this.#root;
      for (const segment of path.split("/").slice(1)) place = descend(place, segment);
      place.methods.add(method);
      if (method === "GET") place.methods.add("HEAD");
      for (const name of parameterNames(hooks.query)) place.parameters.add(name);
    }
  }

  /** Where a request goes. Throws a Problem: no such path, or another method. */
  find(method: string, path: string): RouteNode {
    let place: RouteNode | undefined = this.#root;
    for (const segment of path.split("/").slice(1)) {
      place = place.below.get(segment) ?? (segment === "" ? undefined : place.below.get(WILDCARD));
      if (!place) throw new Problem("not_found");
    }
    if (place.methods.size === 0) throw new Problem("not_found");
    if (!place.methods.has(method))
      throw new Problem("method_not_allowed", { headers: { allow: [...place.methods].sort().join(", ") } });
    return place;
  }
}

const WILDCARD = ":";

function newNode(pattern: string): RouteNode {
  return { pattern, parameters: new Set(), methods: new Set(), below: new Map() };
}

function descend(place: RouteNode, segment: string): RouteNode {
  const key = segment.startsWith(":") ? WILDCARD : segment;
  const next = place.below.get(key) ?? newNode(`${place.pattern}/${segment}`);
  place.below.set(key, next);
  return next;
}

function parameterNames(shape: unknown): string[] {
  const isObject = typeof shape === "object" && shape !== null && "properties" in shape;
  return isObject ? Object.keys(shape.properties ?? {}) : [];
}
