/** What the viewer passes to a filter: lists and maps of Immutable. */
type Values = { get: (name: string) => unknown; getIn: (path: readonly string[]) => unknown };
type Operations = { filter: (matches: (operation: Values) => boolean) => Operations; size: number };
type Tag = { get: (name: "operations") => Operations; set: (name: "operations", value: Operations) => Tag };
export type TaggedOperations = {
  map: (change: (tag: Tag, name: string) => Tag) => TaggedOperations;
  filter: (matches: (tag: Tag) => boolean) => TaggedOperations;
};

/** The operations whose tag, method, path, id or summary has all of the words, and the tags that have such operations. */
export function findOperations(tags: TaggedOperations, text: string): TaggedOperations {
  const words = text.toLowerCase().split(/\s+/);
  return tags
    .map((tag, name) =>
      tag.set(
        "operations",
        tag.get("operations").filter((operation) => {
          const described = [operation.get("method"), operation.get("path")];
          const named = ["summary", "operationId"].map((member) => operation.getIn(["operation", member]));
          const shown = [name, ...described, ...named].join(" ").toLowerCase();
          return words.every((word) => shown.includes(word));
        }),
      ),
    )
    .filter((tag) => tag.get("operations").size > 0);
}
