import { asObject, type Json, type JsonObject } from "../../../shared/json.ts";
import { sampleOf } from "./samples.ts";

/**
 * The document as the viewer shows it: with `origin`, the address of this server as the page has it, samples for the typed
 * client, and no values of optional parameters. Otherwise a first attempt would send the example of every filter.
 */
export function presentDocument(document: object, origin: string): JsonObject {
  // Safe: JSON.
  const shown = asObject(withoutValues(document as JsonObject));
  const info = asObject(shown.info);
  info.description = `<details><summary>Rules of all operations</summary>\n\n${info.description ?? ""}\n\n</details>`;
  shown.servers = [{ url: origin }];
  addSamples(shown, origin);
  return shown;
}

/** Adds a sample to the description of each operation. */
function addSamples(document: JsonObject, origin: string): void {
  for (const [path, item] of Object.entries(asObject(document.paths)))
    for (const [method, value] of Object.entries(asObject(item))) {
      const operation = asObject(value);
      const source = sampleOf({ document, path, method, operation }, origin);
      if (source !== undefined)
        operation.description = `${operation.description ?? ""}\n\n\`\`\`ts\n${source}\n\`\`\``;
    }
}

/** A format of this service, which the viewer would look for. */
const ownFormat = "iso-8601-or-day";

/** The value without the examples and defaults of optional parameters. */
function withoutValues(value: Json | undefined): Json {
  if (Array.isArray(value)) return value.map(withoutValues);
  if (typeof value !== "object" || value === null) return value ?? null;
  const members = Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      if (name === "format" && member === ownFormat) return [];
      // Events of the examples would be too old.
      if (name === "timestamp" && typeof member === "string") return [[name, new Date().toISOString()]];
      return [[name, withoutValues(member)]];
    }),
  );
  if (!isOptionalParameter(members)) return members;
  // Of additional members, the viewer makes an example.
  const { examples, default: initial, additionalProperties, ...schema } = asObject(members.schema);
  return { ...members, schema };
}

function isOptionalParameter({ name, in: place, required, schema }: JsonObject): boolean {
  return typeof name === "string" && typeof place === "string" && required !== true && schema !== undefined;
}
