export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

/** The value as an object; an empty one when it is undefined. */
export function objectOf(value: Json | undefined): JsonObject {
  // Safe: the OpenAPI specification has an object, or nothing, at the places that this is called for.
  return (value ?? {}) as JsonObject;
}

/** The object, or what it refers to within the document. */
export function resolve(document: JsonObject, value: Json | undefined): JsonObject {
  const { $ref, ...rest } = objectOf(value);
  if (typeof $ref !== "string") return rest;
  const steps = $ref.slice("#/".length).split("/");
  return objectOf(steps.reduce((place, step) => objectOf(place[step]), document));
}
