import type { AnyElysia, DefinitionBase, Elysia, MetadataBase, SingletonBase } from "elysia";

/**
 * The type of an app with these groups of routes for `treaty` of @elysiajs/eden, with two corrections to the inferred
 * type: a route with a schema replies 400, not 422, and a route without a query schema takes no parameters.
 */
export type ClientApp<Groups extends readonly AnyElysia[]> = Elysia<
  "",
  SingletonBase,
  DefinitionBase,
  MetadataBase,
  ClientRoutes<RoutesOf<Groups>>
>;

type RoutesOf<Groups> = Groups extends readonly [infer First extends AnyElysia, ...infer Others]
  ? First["~Routes"] & RoutesOf<Others>
  : unknown;

type ClientRoutes<Tree> = {
  [Segment in keyof Tree]: Tree[Segment] extends RouteTypes
    ? ClientRoute<Tree[Segment]>
    : ClientRoutes<Tree[Segment]>;
};
/** A key that no caller can write. Without it, the empty object type would accept every parameter. */
declare const noParameter: unique symbol;
type RouteTypes = { query: unknown; response: unknown };
type ClientRoute<R extends RouteTypes> = Omit<R, keyof RouteTypes> & {
  query: unknown extends R["query"] ? { [noParameter]?: never } : R["query"];
  response: WithoutValidationReply<R["response"]>;
};
type WithoutValidationReply<Replies> = {
  [Status in keyof Replies as Replies[Status] extends { type: "validation" }
    ? never
    : Status]: Replies[Status];
};
