import { guides } from "../../../shared/guides.ts";
import { asObject, type Json, type JsonObject } from "../../../shared/json.ts";
import { resolve, sampleOf } from "./samples.ts";

/** What the viewer shows of the OpenAPI document. */
type Presentation = {
  /** Of this server as the page has it, also where a proxy is not trusted. */
  origin: string;
  /** Where the guides are, with a slash at the end. */
  guides: string;
};

/**
 * The document as the viewer shows it: with the address of the page, links to the guides, samples for the typed client,
 * and the values of optional parameters not chosen. Otherwise a first attempt would send the example of every filter.
 */
export function presentDocument(document: object, presentation: Presentation): JsonObject {
  // Safe: JSON.
  const shown = asObject(withChoices(document as JsonObject, document as JsonObject));
  const info = asObject(shown.info);
  info.description = `${info.description ?? ""}\n\n${listGuides(presentation.guides)}`;
  shown.servers = [{ url: presentation.origin }];
  addSamples(shown, presentation.origin);
  return shown;
}

function listGuides(base: string): string {
  const lines = Object.entries(guides).map(
    ([name, { title, about }]) => `- [${title}](${base}${name}): ${about}`,
  );
  return `## Guides\n\n${lines.join("\n")}`;
}

/** Adds samples in the extension of Redocly, which the viewer reads. */
function addSamples(document: JsonObject, origin: string): void {
  for (const [path, item] of Object.entries(asObject(document.paths)))
    for (const [method, value] of Object.entries(asObject(item))) {
      const operation = asObject(value);
      const source = sampleOf({ document, path, method, operation }, origin);
      if (source !== undefined)
        operation["x-codeSamples"] = [{ lang: "typescript", label: "TypeScript", source }];
    }
}

/** Scalar's `x-disabled`: the value is there to be chosen. */
function withChoices(document: JsonObject, value: Json | undefined): Json {
  if (Array.isArray(value)) return value.map((member) => withChoices(document, member));
  if (typeof value !== "object" || value === null) return value ?? null;
  const members = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withChoices(document, member)]),
  );
  return isOptionalParameter(members)
    ? { ...members, ...unchosenExample(document, members.schema) }
    : members;
}

function isOptionalParameter({ name, in: place, required, schema }: JsonObject): boolean {
  return typeof name === "string" && typeof place === "string" && required !== true && schema !== undefined;
}

/** Without an example, the viewer takes the default, or the first of the permitted values. */
function unchosenExample(document: JsonObject, schema: Json | undefined): JsonObject {
  const { examples, default: initial, enum: values, items, anyOf } = resolve(document, schema);
  if (Array.isArray(anyOf)) return unchosenExample(document, anyOf[0]);
  const permitted = values ?? resolve(document, items).enum;
  const [value] =
    [examples, initial === undefined ? undefined : [initial], permitted].find(Array.isArray) ?? [];
  return value === undefined ? {} : { examples: { example: { value, "x-disabled": true } } };
}
