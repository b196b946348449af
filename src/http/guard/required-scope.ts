import type { Scope } from "../../core/tenant/scopes.ts";

export type RequiredScope = Scope | "any";
/** The requirement of an operation: a key with this scope, in one of three headers. A form of OpenAPI's `security`. */
export type ScopeRequirement = { [scheme: string]: string[] }[];

/** The API key in each of the headers that can have it. */
export const anyScheme: ScopeRequirement = [{ apiKey: [] }, { bearer: [] }, { basic: [] }];

/** The `security` of an operation. The request guard and the OpenAPI document read the scope from it. */
function requires(scope: RequiredScope): ScopeRequirement {
  return [{ apiKey: [scope] }, { bearer: [scope] }, { basic: [scope] }];
}

export type About = [operationId: string, summary: string, description: string];

/** Returns a function that makes the `detail` of operations with this tag and scope. */
export function detailOf(tag: string, scope: RequiredScope) {
  return (...[operationId, summary, description]: About) => ({
    ...{ tags: [tag], security: requires(scope), operationId, summary, description },
  });
}

/** The scope of an operation with this `detail`, or undefined when it has none. */
export function requiredScope(detail: { security?: ScopeRequirement } = {}): RequiredScope | undefined {
  // Safe: only `requires` makes it.
  return detail.security?.[0]?.apiKey?.[0] as RequiredScope | undefined;
}
