import { expect, test } from "bun:test";
import { dirname, join, normalize } from "node:path";

/** The sources by their paths, such as `src/accounts/store.ts`. */
type Tree = Readonly<Record<string, string>>;
/** One import line: the file it stands in, and the file (or the package) that it names. */
type Import = { from: string; to: string; isType: boolean };

const root = join(import.meta.dir, "..");
const tree: Record<string, string> = {};
for (const path of new Bun.Glob("{src,db}/**/*.ts").scanSync(root))
  tree[path] = await Bun.file(join(root, path)).text();

function importsOf(files: Tree): Import[] {
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

const store = /^src\/(\w+\/store|accounts\/listing|keys\/secret)\.ts$/;
const feature = /^src\/(accounts|contacts|meetings|requests|keys|organizations)\//;

/** From the ground up: a file imports files of its own layer and of those below it. */
const layers: { name: string; files: RegExp }[] = [
  { name: "db", files: /^db\// },
  { name: "ground", files: /^src\/(errors|folding|timestamps|paging|log|version|config|production)\.ts$/ },
  { name: "tenant", files: /^src\/tenant\.ts$/ },
  { name: "store", files: store },
  { name: "http", files: /^src\/(http\/[\w-]+|\w+\/(model|input))\.ts$/ },
  { name: "routes", files: /^src\/\w+\/routes\.ts$/ },
  { name: "app", files: /^src\/app\.ts$/ },
  { name: "cli", files: /^src\/(cli|quickstart)\/[\w-]+\.ts$/ },
  { name: "main", files: /^src\/main\.ts$/ },
];

function layerOf(file: string): number {
  return layers.findIndex(({ files }) => files.test(file));
}

/** What only some files may import: `to` by those in `by`, and by no other. */
const reserved: { to: RegExp; by: RegExp }[] = [
  { to: /^drizzle-orm/, by: new RegExp(`^db/|^src/tenant\\.ts$|${store.source}`) },
  { to: /^elysia$|^@elysiajs\//, by: /^src\/(app|http\/[\w-]+|\w+\/(routes|model|input))\.ts$/ },
  { to: /^@sinclair\/typebox/, by: /^src\/(http\/[\w-]+|\w+\/(model|input))\.ts$/ },
  { to: /^bun:sqlite$/, by: /^db\// },
  { to: /^db\/statements\.ts$/, by: new RegExp(`^db/|^src/tenant\\.ts$|${store.source}`) },
  { to: /^src\/accounts\//, by: /^src\/(accounts\/|app\.ts$|quickstart\/)/ },
  { to: /^src\/config\.ts$/, by: /^src\/(cli\/|main\.ts$)/ },
  // A handler holds a tenant, never the database.
  { to: /^db\/(?!schema\.ts$)/, by: /^(?!src\/\w+\/(routes|model|input)\.ts$)/ },
];

function breachOfImport({ from, to, isType }: Import): string | undefined {
  if (reserved.some((rule) => rule.to.test(to) && !rule.by.test(from))) return "is not for this file";
  if (!/^(src|db)\//.test(to) || !to.endsWith(".ts")) return undefined;
  const isOwnShape = isType && /\/(model|input)\.ts$/.test(to) && dirname(to) === dirname(from);
  if (layerOf(to) > layerOf(from) && !isOwnShape) return "stands above it";
  if (/^src\/http\//.test(from) && feature.test(to) && to !== "src/keys/store.ts") return "is a feature";
  const [, one] = feature.exec(from) ?? [];
  const [, other] = feature.exec(to) ?? [];
  if (one && other && one !== other && one !== "accounts") return "is a feature beside it";
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

function breachesOf(files: Tree): string[] {
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

test("the walls stand", () => {
  expect(Object.keys(tree).length).toBeGreaterThan(40);
  expect(importsOf(tree).length).toBeGreaterThan(150);
  expect(breachesOf(tree)).toEqual([]);
});

test.each([
  ["db/file.ts", 'import { fold } from "../src/folding.ts";'],
  ["db/file.ts", 'export { fold } from "../src/folding.ts";'],
  ["db/file.ts", 'const late = await import("../src/folding.ts");'],
  ["src/accounts/routes.ts", 'import { eq } from "drizzle-orm";'],
  ["src/http/api.ts", 'import type { SQLiteTable } from "drizzle-orm/sqlite-core";'],
  ["src/accounts/store.ts", 'import { Elysia } from "elysia";'],
  ["src/cli/serve.ts", 'import {\n  Elysia,\n} from "elysia";'],
  ["src/accounts/store.ts", 'import { Type } from "@sinclair/typebox";'],
  ["src/contacts/store.ts", 'import { Database } from "bun:sqlite";'],
  ["src/accounts/store.ts", 'import { text } from "../http/shapes.ts";'],
  ["src/accounts/store.ts", 'import { present } from "./model.ts";'],
  ["src/accounts/store.ts", 'import type { Contact } from "../contacts/model.ts";'],
  ["src/accounts/store.ts", 'import { tell } from "../cli/command.ts";'],
  ["src/http/api.ts", 'import { accountRoutes } from "../accounts/routes.ts";'],
  ["src/http/api.ts", 'import { addContact } from "../contacts/store.ts";'],
  ["src/http/api.ts", 'import { select } from "../../db/statements.ts";'],
  ["src/http/api.ts", 'import { readConfig } from "../config.ts";'],
  ["src/accounts/routes.ts", 'import type { Engine } from "../../db/open.ts";'],
  ["src/app.ts", 'import "./production.ts";\nimport { serve } from "./cli/serve.ts";'],
  ["src/tenant.ts", 'import { getAccount } from "./accounts/store.ts";'],
  ["src/folding.ts", 'import { Tenant } from "./tenant.ts";'],
  ["src/contacts/store.ts", 'import { getAccount } from "../accounts/store.ts";'],
  ["src/contacts/store.ts", 'import { addMeeting } from "../meetings/store.ts";'],
  ["src/requests/model.ts", 'import type { Meeting } from "../meetings/model.ts";'],
  ["src/accounts/store.ts", "const now = Date.now();"],
  ["src/app.ts", 'import "./production.ts";\nconst clock = Date.now;'],
  ["src/http/api.ts", "const now = new Date();"],
  ["src/http/api.ts", "const { PORT } = process.env;"],
  ["src/cli/serve.ts", "const port = Bun.env.PORT;"],
  ["src/cli/serve.ts", "const [name] = process.argv;"],
  ["src/paging.ts", "function pageOf(query: any) {}"],
  ["src/paging.ts", "const pages = new Map<string, any>();"],
  ["src/paging.ts", "const page = query as any;"],
  ["src/http/utils.ts", ""],
  ["src/cli/helpers.ts", ""],
  ["db/lib/lock.ts", ""],
  ["src/http/index.ts", ""],
  ["db/types.ts", ""],
  ["src/accounts/service.ts", ""],
  ["src/main.ts", 'import { serveCommand } from "./cli/serve.ts";\nimport "./production.ts";'],
  ["src/app.ts", 'import { Elysia } from "elysia";'],
])("a breach in %s is found: %s", (path, source) => {
  expect(breachesOf({ [path]: source })).toHaveLength(1);
});

test("a file that is too long is found", () => {
  expect(breachesOf({ "src/paging.ts": "// a line\n".repeat(250) })).toEqual([]);
  expect(breachesOf({ "src/paging.ts": "// a line\n".repeat(251) })).toHaveLength(1);
});

test("a cycle of imports is found", () => {
  const files = {
    "src/errors.ts": 'import { log } from "./log.ts";',
    "src/log.ts": 'import { page } from "./paging.ts";',
    "src/paging.ts": 'import type { Problem } from "./errors.ts";',
  };
  expect(breachesOf(files)).toEqual([
    "a cycle: src/errors.ts -> src/log.ts -> src/paging.ts -> src/errors.ts",
  ]);
});
