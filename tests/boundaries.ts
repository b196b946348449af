import { cycleIn, type Import, importsOf, repeatedNames, type Tree, withoutTexts } from "./source-tree.ts";

/** The folders of `src/` that are nouns of the business. Those of the operator also have statements without a tenant. */
const tenantFeatures = [
  "account-batches",
  "accounts",
  "attributes",
  "changes",
  "contacts",
  "deletions",
  "erasures",
  "events",
  "exports",
  "feature-requests",
  "health-scores",
  "imports",
  "ingest",
  "last-seen",
  "meetings",
  "repairs",
  "usage",
  "webhooks",
];
const operatorFeatures = ["api-keys", "console", "organizations"];
const tenantFeature = `src/(?:${tenantFeatures.join("|")})/`;
const operatorFeature = `src/(?:${operatorFeatures.join("|")})/`;
const anyFeature = `(?:${tenantFeature}|${operatorFeature})`;
const routeFile = "(?:[\\w-]+-)?routes\\.ts$";
const shapeFile = "(?:[\\w-]+-)?(?:model|input)\\.ts$";

/** What each file belongs to, from the bottom up. A file imports files of its own layer and of lower ones. */
const layers = {
  /** Pure functions for the server, the commands and the console's pages. */
  shared: /^src\/shared\/[\w/-]+\.ts$/,
  /** Builds the files of the API reference. The program imports what it makes. */
  reference: /^src\/reference\/[\w-]+\.ts$/,
  db: /^db\/[\w-]+\.ts$/,
  engine: /^db\/(?:sqlite|postgres)\//,
  core: /^src\/(?:core\/[\w/-]+|config|log|production|version)\.ts$/,
  /** The stored numbers of accounts, which several features read. */
  counts: /^src\/account-counts\/[\w-]+\.ts$/,
  /** One attempt of a webhook: addresses, signatures, HTTP. */
  attempt: /^src\/webhooks\/send\/[\w-]+\.ts$/,
  store: new RegExp(
    `^(?:${anyFeature}(?:deliver/)?(?!${routeFile}|${shapeFile})[\\w-]+|src/resources)\\.ts$`,
  ),
  wiring: /^src\/(?:reactions|jobs\/[\w-]+)\.ts$/,
  http: /^src\/http\/[\w/-]+\.ts$/,
  shape: new RegExp(`^(?:${anyFeature}${shapeFile}|src/resource-shapes\\.ts$)`),
  routes: new RegExp(`^${anyFeature}${routeFile}`),
  app: /^src\/app\.ts$/,
  operation: /^src\/(?:operator|quickstart)\/[\w-]+\.ts$/,
  server: /^src\/server\/[\w-]+\.ts$/,
  cli: /^src\/cli\/[\w/-]+\.ts$/,
  main: /^src\/main\.ts$/,
  /** The console's pages, which run in browsers. */
  browser: /^src\/console\/app\/[\w./-]+\.tsx?$/,
};
type Layer = keyof typeof layers;
// Safe: the keys of `layers`, in the order in which they are written.
const layerNames = Object.keys(layers) as Layer[];

function levelOf(path: string): number {
  return layerNames.findIndex((name) => layers[name].test(path));
}

/** The upper floor of features, which read or write rows of several others. They import those, and not each other. */
const combiningFeatures =
  /^src\/(?:account-batches|attributes|changes|deletions|erasures|exports|imports|ingest|last-seen|repairs)\//;

/** The other imports between features. Any other two features meet in `resources.ts`, `reactions.ts`, `jobs/` or `app.ts`. */
export const featureImports: { from: RegExp; to: RegExp; reason: string }[] = [
  {
    from: /^src\/ingest\/person-rows\.ts$/,
    to: /^src\/account-batches\/store\.ts$/,
    reason: "persons of calls are found as the contacts of a batch",
  },
  {
    from: /^src\/events\/(?:store|attach|retention)\.ts$/,
    to: /^src\/usage\/(?:store|expiry)\.ts$/,
    reason: "an event adds to the usage of its day in the same batch",
  },
  {
    from: /^src\/accounts\/(?:included|model)\.ts$/,
    to: /^src\/health-scores\/(?:of-accounts|score|store|model)\.ts$/,
    reason: "an account can include its health and contact activity",
  },
  {
    from: /^src\/organizations\/(?:model|routes)\.ts$/,
    to: /^src\/api-keys\/(?:model|store)\.ts$/,
    reason: "a request can ask for its organization and its key at once",
  },
  {
    from: /^src\/webhooks\/[\w/-]+\.ts$/,
    to: /^src\/changes\/[\w-]+\.ts$/,
    reason: "a webhook gets the changes of the feed",
  },
];

/** Files and packages that only some files import. The first rule that an import breaks is reported. */
export const importRules: { to: RegExp; by: RegExp; types?: "allowed"; rule: string }[] = [
  {
    to: /^drizzle-orm\//,
    by: /^db\//,
    rule: "a table or a query of one dialect belongs to db/",
  },
  {
    to: /^drizzle-orm$|^db\/(?:expressions|statements)\.ts$/,
    by: anyOf(layers.db, layers.engine, layers.core, layers.counts, layers.store),
    rule: "only stores and core/ build statements",
  },
  {
    to: /^db\/statements\.ts$/,
    by: anyOf(layers.db, layers.engine, layers.core, new RegExp(`^${operatorFeature}`)),
    types: "allowed",
    rule: "a statement on tenant data is built with core/tenant/statements.ts",
  },
  {
    to: /^db\/engine\.ts$/,
    by: new RegExp(`^(?!${tenantFeature}|src/http/|${anyFeature}(?:${routeFile}|${shapeFile}))`),
    rule: "a feature gets a tenant, its snapshot or its transaction",
  },
  {
    to: layers.engine,
    by: anyOf(layers.engine, layers.operation, layers.server, layers.cli, layers.main),
    rule: "only the processes that open a database know which engine it is",
  },
  {
    to: /^db\/(?!schema\.ts$)/,
    by: new RegExp(`^(?!${anyFeature}(?:${routeFile}|${shapeFile}))`),
    rule: "of db/, routes and shapes import the schema's enumerations only",
  },
  { to: /^bun:sqlite$/, by: /^db\/sqlite\//, rule: "SQLite's driver belongs to db/sqlite" },
  {
    to: /^elysia$|^@elysiajs\//,
    by: anyOf(layers.http, layers.routes, layers.app, layers.operation),
    rule: "Elysia belongs to the app, http/ and routes",
  },
  {
    to: /^@sinclair\/typebox/,
    by: anyOf(layers.http, layers.shape, layers.operation),
    rule: "TypeBox belongs to http/, model.ts and input.ts",
  },
  {
    to: /^(?!src\/console\/app\/|src\/shared\/|clients\/typescript\/src\/|(?:preact|uplot)(?:$|\/))/,
    by: new RegExp(`^(?!${layers.browser.source.slice(1)})`),
    rule: "the console's pages import shared/, the typed client, Preact and uPlot only",
  },
  {
    to: /^(?!src\/shared\/)/,
    by: /^(?!src\/shared\/)/,
    rule: "shared/ imports nothing else",
  },
  {
    to: /^src\/shared\/(?!fields\/)/,
    by: /^src\//,
    rule: "of src/, db/ imports the enumerations of the fields only",
  },
  {
    to: layers.browser,
    by: layers.browser,
    rule: "only a browser runs the console's pages",
  },
  {
    to: new RegExp(`^${anyFeature}|^src/(?:reactions|jobs/[\\w-]+)\\.ts$`),
    by: /^(?!src\/http\/)/,
    rule: "http/ does not depend on features",
  },
  {
    to: /^src\/config\.ts$/,
    by: anyOf(layers.server, layers.cli),
    rule: "settings are read by commands and passed down",
  },
  {
    to: /^db\/(?!schema\.ts$)|^drizzle-orm|^src\/core\/(?!timestamps\.ts$)/,
    by: /^(?!src\/(?:health-scores\/score|events\/segment|api-keys\/secret)\.ts$)/,
    rule: "a pure module has no statements and no tenant",
  },
];

/** What only some files may contain, outside of comments and strings. */
export const codeRules: { code: RegExp; by: RegExp; rule: string }[] = [
  {
    code: /\bDate\.now\b|\bnew Date\(\)/,
    by: anyOf(layers.cli, layers.server, layers.browser),
    rule: "reads the clock",
  },
  {
    code: /\b(?:Bun|process|import\.meta)\.env\b/,
    by: /^src\/(?:config|production)\.ts$/,
    rule: "reads the environment",
  },
  { code: /\b(?:Bun|process)\.argv\b/, by: layers.main, rule: "reads the arguments" },
  { code: /[:<|&,=]\s*any\b(?!\s*[:(])|\b(?:as|extends) any\b/, by: /^$/, rule: "uses `any`" },
];

const maxLines = 250;
/** One description of the whole database. */
const longFile = "db/schema.ts";
const meaninglessName = /(?:^|\/)(?:utils?|helpers?|lib|common|types|index)(?:\.ts$|\/)/;

/** Every breach of a rule in the sources, one line each. */
export function breachesOf(tree: Tree): string[] {
  const imports = importsOf(tree);
  const cycle = cycleIn(imports);
  return [
    ...Object.entries(tree).flatMap(([path, source]) => breachesOfFile(path, source)),
    ...imports.flatMap((line) => {
      const rule = breachOfImport(line);
      return rule ? [`${line.from} imports ${line.to}: ${rule}`] : [];
    }),
    ...(cycle.length > 0 ? [`a cycle of imports: ${cycle.join(" -> ")}`] : []),
    // The console's pages are a program of their own.
    ...repeatedNames(filesOf(tree, (path) => layers.browser.test(path))),
    ...repeatedNames(filesOf(tree, (path) => !layers.browser.test(path))),
  ];
}

function breachOfImport({ from, to, isType }: Import): string | undefined {
  for (const { to: files, by, types, rule } of importRules)
    if (files.test(to) && !by.test(from) && !(isType && types === "allowed")) return rule;
  if (!/^(?:src|db)\/.*\.tsx?$/.test(to)) return undefined;
  if (levelOf(to) > levelOf(from)) return "imports point down";
  const [feature, otherFeature] = [featureOf(from), featureOf(to)];
  if (feature === undefined || otherFeature === undefined || feature === otherFeature) return undefined;
  if (combiningFeatures.test(from) && !combiningFeatures.test(to)) return undefined;
  const isListed = featureImports.some((listed) => listed.from.test(from) && listed.to.test(to));
  return isListed ? undefined : "features do not import each other";
}

function featureOf(path: string): string | undefined {
  return new RegExp(`^${anyFeature}`).exec(path)?.[0];
}

function breachesOfFile(path: string, source: string): string[] {
  const code = withoutTexts(source);
  const breaches = codeRules.flatMap(({ code: pattern, by, rule }) =>
    pattern.test(code) && !by.test(path) ? rule : [],
  );
  if (path !== longFile && source.trimEnd().split("\n").length > maxLines)
    breaches.push(`is longer than ${maxLines} lines`);
  if (meaninglessName.test(path)) breaches.push("has a name without a meaning");
  if (levelOf(path) === -1 && !path.endsWith(".d.ts")) breaches.push("belongs to no layer");
  const [first] = importsOf({ [path]: source });
  if (anyOf(layers.main, layers.app).test(path) && first?.to !== "src/production.ts")
    breaches.push("does not import production.ts first");
  return breaches.map((rule) => `${path} ${rule}`);
}

function filesOf(tree: Tree, isChosen: (path: string) => boolean): Tree {
  return Object.fromEntries(Object.entries(tree).filter(([path]) => isChosen(path)));
}

function anyOf(...patterns: RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join("|"));
}
