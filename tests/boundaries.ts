import { dirname, join, normalize } from "node:path";

/** The sources by their paths, such as `src/accounts/store.ts`. */
type Tree = Readonly<Record<string, string>>;
/** One import line: the file it stands in, and the file (or the package) that it names. */
type Import = { from: string; to: string; isType: boolean };

export function importsOf(files: Tree): Import[] {
  const line =
    /^(?:import|export)\s+(type\s)?(?:[^;"']*?\sfrom\s+)?"([^"]+)"|\bimport\(\s*["'`]([^"'`]+)["'`]/gm;
  return Object.entries(files).flatMap(([from, source]) =>
    [...source.matchAll(line)].map(([, type, fixed, late]) => {
      const name = fixed ?? late ?? "";
      const to = name.startsWith(".") ? normalize(join(dirname(from), name)) : name;
      return { from, to, isType: type !== undefined };
    }),
  );
}

/** Each feature, and the features beside it whose stores and shapes it may look at. */
const features: Record<string, string[]> = {
  accounts: ["contacts", "meetings", "requests", "events", "health"],
  contacts: ["health"],
  meetings: ["health"],
  requests: ["health"],
  events: ["usage", "health"],
  "last-seen": ["health"],
  usage: [],
  health: [],
  keys: [],
  organizations: [],
};
const anyFeature = `(${Object.keys(features).join("|")})`;
const feature = new RegExp(`^src/${anyFeature}/`);

const rows = /^src\/(account-reference|account-counts|listing|children)\.ts$/;
const store = new RegExp(
  `^src/(${anyFeature}/(store|listing)|events/(parked|ingest|retention)|usage/expiry|accounts/(names|search)|health/(inputs|refresh|steady|due))\\.ts$`,
);
const shape = new RegExp(`^src/(http/[\\w-]+|${anyFeature}/(model|input))\\.ts$`);
const routes = new RegExp(`^src/${anyFeature}/routes\\.ts$`);

/** From the ground up: a file imports files of its own layer and of those below it. */
const layers: { name: string; files: RegExp }[] = [
  { name: "db", files: /^db\// },
  { name: "ground", files: /^src\/(errors|folding|timestamps|paging|log|version|config|production)\.ts$/ },
  { name: "pure", files: /^src\/(health\/score|events\/segment|keys\/secret|accounts\/haystack)\.ts$/ },
  { name: "tenant", files: /^src\/tenant\.ts$/ },
  { name: "rows", files: rows },
  { name: "store", files: store },
  { name: "http", files: shape },
  { name: "routes", files: routes },
  { name: "app", files: /^src\/(app|upkeep)\.ts$/ },
  { name: "cli", files: /^src\/(cli|quickstart)\/[\w-]+\.ts$/ },
  { name: "main", files: /^src\/main\.ts$/ },
];

function layerOf(file: string): number {
  return layers.findIndex(({ files }) => files.test(file));
}

/** What only some files may import: `to` by those in `by`, and by no other. */
const reserved: { to: RegExp; by: RegExp }[] = [
  { to: /^drizzle-orm|^db\/statements\.ts$/, by: anyOf(/^db\//, /^src\/tenant\.ts$/, rows, store) },
  { to: /^elysia$|^@elysiajs\//, by: anyOf(/^src\/app\.ts$/, shape, routes) },
  { to: /^@sinclair\/typebox/, by: shape },
  { to: /^bun:sqlite$/, by: /^db\// },
  { to: /^src\/accounts\//, by: /^src\/(accounts\/|(app|upkeep)\.ts$|quickstart\/)/ },
  { to: /^src\/config\.ts$/, by: /^src\/(cli\/|main\.ts$)/ },
  // A handler holds a tenant, never the database.
  { to: /^db\/(?!schema\.ts$)/, by: new RegExp(`^(?!src/${anyFeature}/(routes|model|input)\\.ts$)`) },
  // What is done beside the requests knows nothing of HTTP.
  { to: anyOf(shape, routes), by: /^(?!src\/upkeep\.ts$)/ },
];

function anyOf(...patterns: RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join("|"));
}

function breachOfImport({ from, to, isType }: Import): string | undefined {
  if (reserved.some((rule) => rule.to.test(to) && !rule.by.test(from))) return "is not for this file";
  if (!/^(src|db)\//.test(to) || !to.endsWith(".ts")) return undefined;
  const isOwnShape = isType && /\/(model|input)\.ts$/.test(to) && dirname(to) === dirname(from);
  if (layerOf(to) > layerOf(from) && !isOwnShape) return "stands above it";
  if (/^src\/http\//.test(from) && feature.test(to) && to !== "src/api-keys/store.ts") return "is a feature";
  const [, one] = feature.exec(from) ?? [];
  const [, other] = feature.exec(to) ?? [];
  if (one && other && one !== other && !features[one]?.includes(other)) return "is a feature beside it";
  return undefined;
}

/** A chain of imports that ends where it begins; empty when there is none. */
function cycleIn(imports: Import[]): string[] {
  const done = new Set<string>();
  const targets = Map.groupBy(imports, ({ from }) => from);
  function search(file: string, path: string[]): string[] {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return [];
    for (const { to } of targets.get(file) ?? []) {
      const cycle = search(to, [...path, file]);
      if (cycle.length > 0) return cycle;
    }
    done.add(file);
    return [];
  }
  return [...targets.keys()].map((file) => search(file, [])).find((cycle) => cycle.length > 0) ?? [];
}

/** What a source may hold only in some files. */
const words: { word: RegExp; only: RegExp; what: string }[] = [
  { word: /\bDate\.now\b|\bnew Date\(\)/, only: /^src\/cli\//, what: "asks the time" },
  {
    word: /\bBun\.env\b|\bprocess\.env\b|\bimport\.meta\.env\b/,
    only: /^src\/(config|production)\.ts$/,
    what: "reads the environment",
  },
  { word: /\b(process|Bun)\.argv\b/, only: /^src\/main\.ts$/, what: "reads the arguments" },
  { word: /[:<|&,=]\s*any\b(?!\s*[:(])|\b(as|extends) any\b/, only: /^$/, what: "says any" },
];

/** Every breach of a wall in the sources, one line each. */
export function breachesOf(files: Tree): string[] {
  const imports = importsOf(files);
  const cycle = cycleIn(imports);
  return [
    ...Object.entries(files).flatMap(([path, source]) => breachesOfFile(path, source)),
    ...imports.flatMap((one) => {
      const breach = breachOfImport(one);
      return breach ? [`${one.from} imports ${one.to}, which ${breach}`] : [];
    }),
    ...(cycle.length > 0 ? [`a cycle: ${cycle.join(" -> ")}`] : []),
  ];
}

function breachesOfFile(path: string, source: string): string[] {
  const code = withoutTexts(source);
  const found = words.filter(({ word, only }) => word.test(code) && !only.test(path)).map(({ what }) => what);
  if (source.trimEnd().split("\n").length > 250) found.push("is longer than 250 lines");
  if (/(^|\/)(utils?|helpers?|lib|common|types|index)(\.ts$|\/)/.test(path))
    found.push("has a name of no meaning");
  if (layerOf(path) === -1 && !path.endsWith(".d.ts")) found.push("has no layer");
  const [first] = importsOf({ [path]: source });
  if (/^src\/(main|app)\.ts$/.test(path) && first?.to !== "src/production.ts")
    found.push("does not import production.ts first");
  return found.map((what) => `${path} ${what}`);
}

/** The code alone: comments and texts may say anything. What a template computes is code. */
function withoutTexts(source: string): string {
  return source
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/(^|\s)\/\/.*$/gm, "")
    .replace(/"(?:[^"\\\n]|\\.)*"/g, '""');
}
