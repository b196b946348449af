import { invalidParameter } from "../../core/errors.ts";
import { asObject, type Json, type JsonObject } from "../../shared/json.ts";

/** Names of tags, and ids of operations. */
type Selection = { tag: readonly string[]; operations: readonly string[] };

/** Reads the lists `tag` and `operations`, also as `tag[]` and `tag[0]`. Undefined when the query has neither. */
export function readSelection(query: URLSearchParams): Selection | undefined {
  const read = (name: string) =>
    [...query].flatMap(([key, list]) => (key.replace(/\[\d*\]$/, "") === name ? list.split(",") : []));
  const selection = { tag: read("tag"), operations: read("operations") };
  return Object.values(selection).some((names) => names.length > 0) ? selection : undefined;
}

/**
 * The part of an OpenAPI document with the operations that have one of the tags or ids, and with the tags and components
 * of these operations. Throws `invalid_request`, which names the valid ones, when the document has no such tag or operation.
 */
export function selectOperations(document: JsonObject, { tag, operations }: Selection): JsonObject {
  const { paths, webhooks } = document;
  const items = Object.values(asObject(paths)).map(asObject);
  const all = items.flatMap((item) => Object.values(item).map(asObject));
  const tags = Object.values(document.tags ?? []).map(asObject);
  assertNames("tag", tag, namesOf(tags, "name"));
  assertNames("operations", operations, namesOf(all, "operationId"));
  const isSelected = (operation: JsonObject) =>
    tag.includes(tagOf(operation)) || operations.includes(String(operation.operationId));
  const selectedTags = new Set(all.filter(isSelected).map(tagOf));
  const selectItems = (all: Json | undefined): JsonObject => {
    const entries = Object.entries(asObject(all)).map(
      ([name, item]) =>
        [name, filterMembers(item, (_, operation) => isSelected(asObject(operation)))] as const,
    );
    return Object.fromEntries(entries.filter(([, methods]) => Object.keys(methods).length > 0));
  };
  const selected = { paths: selectItems(paths), webhooks: selectItems(webhooks) };
  return {
    ...document,
    tags: tags.filter(({ name }) => selectedTags.has(String(name))),
    ...selected,
    components: usedComponents(asObject(document.components), selected),
  };
}

function namesOf(values: readonly JsonObject[], member: string): string[] {
  return values.map((value) => String(value[member]));
}

function assertNames(parameter: string, names: readonly string[], valid: readonly string[]): void {
  if (names.every((name) => valid.includes(name))) return;
  throw invalidParameter(parameter, "not_allowed", `must be one of ${valid.join(", ")}`);
}

function tagOf({ tags }: JsonObject): string {
  return String(Object.values(tags ?? [])[0]);
}

function filterMembers(value: Json | undefined, has: (name: string, member: Json) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(asObject(value)).filter(([name, member]) => has(name, member)));
}

/** The components that a value references, itself or through others, and the security schemes. */
function usedComponents(components: JsonObject, value: Json): JsonObject {
  // The loop reaches what it adds.
  const used = new Set(referencesIn(value));
  for (const reference of used) {
    const [, , section = "", name = ""] = reference.split("/");
    for (const next of referencesIn(asObject(components[section])[name])) used.add(next);
  }
  return Object.fromEntries(
    Object.entries(components).flatMap(([section, values]) => {
      const kept = filterMembers(
        values,
        (name) => section === "securitySchemes" || used.has(`#/components/${section}/${name}`),
      );
      return Object.keys(kept).length > 0 ? [[section, kept]] : [];
    }),
  );
}

function referencesIn(value: Json | undefined): string[] {
  return JSON.stringify(value ?? null).match(/#\/components\/\w+\/\w+/g) ?? [];
}
