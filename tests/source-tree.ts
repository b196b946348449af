import { dirname, join, normalize } from "node:path";

/** The sources by path, such as `src/accounts/store.ts`. */
export type Tree = Readonly<Record<string, string>>;
/** One import: the importing file, and the file or package that it names. */
export type Import = { from: string; to: string; isType: boolean };

export function importsOf(tree: Tree): Import[] {
  const line =
    /^(?:import|export)\s+(type\s)?(?:[^;"']*?\sfrom\s+)?"([^"]+)"|\bimport\(\s*["'`]([^"'`]+)["'`]/gm;
  return Object.entries(tree).flatMap(([from, source]) =>
    [...source.matchAll(line)].map(([, type, fixed, dynamic]) => {
      const name = fixed ?? dynamic ?? "";
      const to = name.startsWith(".") ? normalize(join(dirname(from), name)) : name;
      return { from, to, isType: type !== undefined };
    }),
  );
}

/** A chain of imports that ends where it begins, type imports included; empty when there is none. */
export function cycleIn(imports: Import[]): string[] {
  const visited = new Set<string>();
  const importsByFile = Map.groupBy(imports, ({ from }) => from);
  function search(file: string, path: string[]): string[] {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (visited.has(file)) return [];
    for (const { to } of importsByFile.get(file) ?? []) {
      const cycle = search(to, [...path, file]);
      if (cycle.length > 0) return cycle;
    }
    visited.add(file);
    return [];
  }
  return [...importsByFile.keys()].map((file) => search(file, [])).find((cycle) => cycle.length > 0) ?? [];
}

/** The names of types and of TypeBox shapes that are declared twice, or that are also the name of a global. */
export function repeatedNames(tree: Tree): string[] {
  const declaration =
    /^\s*(?:export\s+)?(?:type\s+([A-Z]\w*)\s*[=<]|(?:interface|class)\s+([A-Z]\w*)[\s<{]|const\s+([A-Z]\w*[a-z]\w*)\s*[=:])/gm;
  const declarations = Object.entries(tree).flatMap(([path, source]) =>
    [...withoutTexts(source).matchAll(declaration)].map(([, type, object, shape]) => ({
      name: type ?? object ?? shape ?? "",
      path,
    })),
  );
  return [...Map.groupBy(declarations, ({ name }) => name)].flatMap(([name, places]) => {
    const paths = places.map(({ path }) => path).join(", ");
    if (name in globalThis) return [`${paths}: ${name} is the name of a global`];
    return places.length > 1 ? [`${name} is declared more than once: ${paths}`] : [];
  });
}

/** The code without comments and strings. What a template computes is code. */
export function withoutTexts(source: string): string {
  return source
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/(^|\s)\/\/.*$/gm, "")
    .replace(/"(?:[^"\\\n]|\\.)*"/g, '""');
}
