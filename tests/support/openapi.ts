// biome-ignore lint/suspicious/noExplicitAny: a test reads any member of the document.
export type Document = any;

const reference = /^#\/components\/(parameters|responses|headers|examples)\/(\w+)$/;

/**
 * A copy of an OpenAPI document in which references to parameters, responses, headers and examples are replaced by
 * their targets. References to schemas stay. Throws when a reference has no target.
 */
export function withoutReferences(document: Document): Document {
  const resolve = (value: Document): Document => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== "object" || value === null) return value;
    const [whole, section = "", name = ""] = reference.exec(value.$ref ?? "") ?? [];
    if (whole === undefined)
      return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, resolve(member)]));
    const target = document.components[section]?.[name];
    if (target === undefined) throw new Error(`the document has no ${whole}`);
    return resolve(target);
  };
  return { ...resolve({ ...document, components: {} }), components: document.components };
}
