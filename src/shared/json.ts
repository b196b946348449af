export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

/** The value as an object; an empty one when it is undefined. */
export function asObject(value: Json | undefined): JsonObject {
  // Safe: the OpenAPI specification has an object, or nothing, at the places that this is called for.
  return (value ?? {}) as JsonObject;
}
