import { type Json, type JsonObject, objectOf, resolve, sampleOf } from "./samples.ts";

/** What the viewer shows of the OpenAPI document. */
type Presentation = {
  /** Of this server, for the samples. */
  origin: string;
  /** Where the guides are, with a slash at the end. */
  guides: string;
};

const guides: readonly [string, string, string][] = [
  ["api", "Using the API", "lists, filters, writes, errors and limits, with examples"],
  ["recipes", "Recipes", "ten programs for common tasks"],
  ["console", "Console", "look at accounts, health and usage in a browser"],
  ["operations", "Operations", "deploy, configure, back up and upgrade"],
  ["scaling", "Scaling", "SQLite or PostgreSQL, one server or several"],
  ["performance", "Performance", "how fast, and how it was measured"],
  ["reliability", "Reliability", "which failures are tested, and how often"],
  ["architecture", "Architecture", "for those who change the code"],
];

/**
 * The document as the viewer shows it: with links to the guides, samples for the typed client, and the values of optional
 * parameters not chosen. Otherwise a first attempt would send the example of every filter.
 */
export function presentDocument(document: object, presentation: Presentation): JsonObject {
  // Safe: JSON.
  const shown = objectOf(withChoices(document as JsonObject, document as JsonObject));
  const info = objectOf(shown.info);
  info.description = `${info.description ?? ""}\n\n${listGuides(presentation.guides)}`;
  addSamples(shown, presentation.origin);
  return shown;
}

function listGuides(base: string): string {
  const lines = guides.map(([name, title, content]) => `- [${title}](${base}${name}): ${content}`);
  return `## Guides\n\n${lines.join("\n")}`;
}

/** Adds samples in the extension of Redocly, which the viewer reads. */
function addSamples(document: JsonObject, origin: string): void {
  for (const [path, item] of Object.entries(objectOf(document.paths)))
    for (const [method, value] of Object.entries(objectOf(item))) {
      const operation = objectOf(value);
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
  const permitted = values ?? objectOf(items).enum;
  const [value] =
    [examples, initial === undefined ? undefined : [initial], permitted].find(Array.isArray) ?? [];
  return value === undefined ? {} : { examples: { example: { value, "x-disabled": true } } };
}
