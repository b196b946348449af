import { expect, test } from "bun:test";
import { join } from "node:path";
import { breachesOf, codeRules, featureImports, importRules } from "./boundaries.ts";
import { importsOf } from "./source-tree.ts";

const root = join(import.meta.dir, "..");
const tree: Record<string, string> = {};
for (const path of new Bun.Glob("{src,db}/**/*.{ts,tsx}").scanSync(root))
  tree[path] = await Bun.file(join(root, path)).text();

test("the sources keep every boundary", () => {
  expect(Object.keys(tree).length).toBeGreaterThan(100);
  expect(importsOf(tree).length).toBeGreaterThan(400);
  expect(breachesOf(tree)).toEqual([]);
});

const down = "imports point down";
const separate = "features do not import each other";
const statements = "only stores and core/ build statements";
const tenantStatements = "a statement on tenant data is built with core/tenant/statements.ts";
const tenants = "a feature gets a tenant, its snapshot or its transaction";
const engines = "only the processes that open a database know which engine it is";
const enumerations = "of db/, routes and shapes import the schema's enumerations only";
const transport = "http/ does not depend on features";
const settings = "settings are read by commands and passed down";
const pure = "a pure module has no statements and no tenant";

const pages = "the console's pages import shared/, the typed client, Preact and uPlot only";
const shared = "shared/ imports nothing else";
const browser = "only a browser runs the console's pages";

const forbiddenImports = [
  ["db/sqlite/file.ts", 'import { fold } from "../../src/core/folding.ts";', down],
  ["db/sqlite/file.ts", 'export { fold } from "../../src/core/folding.ts";', down],
  ["db/sqlite/file.ts", 'const folding = await import("../../src/core/folding.ts");', down],
  ["db/statements.ts", 'import { openDatabase } from "./sqlite/engine.ts";', engines],
  ["src/core/resource/resource.ts", 'import { contactStore } from "../../contacts/store.ts";', down],
  ["src/contacts/store.ts", 'import { getAccount } from "../accounts/store.ts";', separate],
  ["src/contacts/store.ts", 'import { meetingStore } from "../meetings/store.ts";', separate],
  ["src/shared/cells.ts", 'import { attributePrefix } from "../core/attributes/attributes.ts";', shared],
  [
    "db/sqlite/file.ts",
    'import { CsvReader } from "../../src/shared/imports/csv.ts";',
    "of src/, db/ imports the enumerations of the fields only",
  ],
  ["src/console/app/main.tsx", 'import { formatTimestamp } from "../../core/timestamps.ts";', pages],
  ["src/console/routes.ts", 'import { render } from "./app/main.tsx";', browser],
  [
    "src/http/guard/guard.ts",
    'import { findSession } from "../../api-keys/sessions.ts";',
    "http/ does not depend on features",
  ],
  [
    "src/accounts/list.ts",
    'import { text } from "drizzle-orm/sqlite-core";',
    "a table or a query of one dialect",
  ],
  [
    "src/core/resource/resource.ts",
    'import type { SQLiteTable } from "drizzle-orm/sqlite-core";',
    "belongs to db/",
  ],
  ["src/accounts/routes.ts", 'import { eq } from "drizzle-orm";', statements],
  ["src/contacts/store.ts", 'import { select } from "../../db/statements.ts";', tenantStatements],
  ["src/contacts/store.ts", 'import type { Engine } from "../../db/engine.ts";', tenants],
  ["src/last-seen/routes.ts", 'import { errorCode } from "../../db/errors.ts";', enumerations],
  ["src/contacts/store.ts", 'import { Database } from "bun:sqlite";', "SQLite's driver belongs to db/sqlite"],
  ["src/core/lists/list.ts", 'import type { Database } from "bun:sqlite";', "SQLite's driver"],
  [
    "src/accounts/store.ts",
    'import { Elysia } from "elysia";',
    "Elysia belongs to the app, http/ and routes",
  ],
  ["src/cli/serve.ts", 'import {\n  Elysia,\n} from "elysia";', "Elysia belongs to"],
  ["src/accounts/store.ts", 'import { Type } from "@sinclair/typebox";', "TypeBox belongs to"],
  ["src/accounts/routes.ts", 'import { Type } from "@sinclair/typebox";', "http/, model.ts and input.ts"],
  [
    "src/http/resource/resource-routes.ts",
    'import { contactStore } from "../../contacts/store.ts";',
    transport,
  ],
  ["src/http/guard/guard.ts", 'import { readAddress } from "../../config.ts";', settings],
  ["src/health-scores/score.ts", 'import { eq } from "drizzle-orm";', pure],
] as const;

test.each(forbiddenImports)("%s may not contain %s", (path, source, rule) => {
  expect(Object.keys(tree)).toContain(path);
  for (const { to } of importsOf({ [path]: source }))
    if (/^(src|db)\//.test(to)) expect(Object.keys(tree)).toContain(to);
  const breaches = breachesOf({ [path]: source });
  expect(breaches).toHaveLength(1);
  expect(breaches[0]).toContain(rule);
});

const forbiddenCode = [
  ["src/accounts/store.ts", "const now = Date.now();", "reads the clock"],
  ["src/http/guard/guard.ts", "const now = new Date();", "reads the clock"],
  ["db/sqlite/engine.ts", "const clock = Date.now;", "reads the clock"],
  ["src/http/guard/guard.ts", "const { PORT } = process.env;", "reads the environment"],
  ["src/cli/serve.ts", "const port = Bun.env.PORT;", "reads the environment"],
  ["src/cli/serve.ts", "const [name] = process.argv;", "reads the arguments"],
  ["src/core/lists/paging.ts", "function pageOf(query: any) {}", "uses `any`"],
  ["src/core/lists/paging.ts", "const pages = new Map<string, any>();", "uses `any`"],
  ["src/core/lists/paging.ts", "const page = query as any;", "uses `any`"],
] as const;

test.each(forbiddenCode)("%s may not contain %s", (path, source, rule) => {
  expect(Object.keys(tree)).toContain(path);
  expect(breachesOf({ [path]: source })).toEqual([`${path} ${rule}`]);
});

test("every rule has a case above", () => {
  const breaches = forbiddenImports.flatMap(([path, source]) => breachesOf({ [path]: source }));
  for (const { rule } of importRules) expect(breaches.some((breach) => breach.endsWith(rule))).toBe(true);
  for (const { rule } of codeRules)
    expect(forbiddenCode.map(([, , broken]): string => broken)).toContain(rule);
});

test.each([
  ["src/http/utils.ts", "has a name without a meaning"],
  ["src/cli/helpers.ts", "has a name without a meaning"],
  ["db/sqlite/lib/lock.ts", "has a name without a meaning"],
  ["src/http/index.ts", "has a name without a meaning"],
  ["db/types.ts", "has a name without a meaning"],
  ["src/plans/store.ts", "belongs to no layer"],
  ["src/service.ts", "belongs to no layer"],
  ["src/accounts/embedded/contacts.ts", "belongs to no layer"],
])("a file %s is reported: it %s", (path, rule) => {
  expect(breachesOf({ [path]: "" })).toEqual([`${path} ${rule}`]);
});

test.each([
  ["src/main.ts", 'import { runCommandLine } from "./cli/run.ts";\nimport "./production.ts";'],
  ["src/app.ts", 'import { Elysia } from "elysia";'],
])("%s has to import production.ts first", (path, source) => {
  expect(breachesOf({ [path]: source })).toEqual([`${path} does not import production.ts first`]);
});

test("a type of the statement builder may be imported by a store", () => {
  const source = 'import type { Row } from "../../db/statements.ts";';
  expect(breachesOf({ "src/usage/store.ts": source })).toEqual([]);
});

test.each([
  ["src/core", 18],
  ["src/http", 18],
  ["db/sqlite", 18],
  ["db/postgres", 18],
  ["tests", 12],
])("%s has at most %i files of its own; the others are in folders by noun", (folder, maxFiles) => {
  const files = [...new Bun.Glob("*.ts").scanSync(join(root, folder))];
  expect(files.length).toBeGreaterThan(0);
  expect(files.length).toBeLessThanOrEqual(maxFiles);
});

test("at most five imports between features are listed, and each exists", () => {
  expect(featureImports.length).toBeLessThanOrEqual(5);
  const imports = importsOf(tree);
  for (const { from, to } of featureImports)
    expect(imports.some((line) => from.test(line.from) && to.test(line.to))).toBe(true);
});

test("a file of more than 250 lines is reported, except the schema", () => {
  const line = "// a line\n";
  expect(breachesOf({ "src/core/lists/paging.ts": line.repeat(250) })).toEqual([]);
  expect(breachesOf({ "src/core/lists/paging.ts": line.repeat(251) })).toHaveLength(1);
  expect(breachesOf({ "db/schema.ts": line.repeat(251) })).toEqual([]);
});

test("no file of tests and of the benchmark has more than 300 lines", async () => {
  const paths = ["*", "*/*", "*/*/*"]
    .flatMap((path) => [...new Bun.Glob(`{tests,bench}/${path}.{ts,tsx}`).scanSync(root)])
    .filter((path) => !path.includes("node_modules"));
  const sources = await Promise.all(paths.map((path) => Bun.file(join(root, path)).text()));
  expect(paths.length).toBeGreaterThan(300);
  expect(paths.filter((_, i) => (sources[i] ?? "").trimEnd().split("\n").length > 300)).toEqual([]);
});

test("a cycle of imports is reported, type imports included", () => {
  const cycle = {
    "src/core/errors.ts": 'import { fold } from "./folding.ts";',
    "src/core/folding.ts": 'import { pageOf } from "./lists/paging.ts";',
    "src/core/lists/paging.ts": 'import type { Problem } from "../errors.ts";',
  };
  expect(breachesOf(cycle)).toEqual([
    "a cycle of imports: src/core/errors.ts -> src/core/folding.ts -> src/core/lists/paging.ts -> src/core/errors.ts",
  ]);
});

test.each([
  ["type Page = { rows: string[] };", "export type Page<R> = { rows: R[] };"],
  ["export interface Page { rows: string[] }", "class Page extends Rows {}"],
  ["export const Page = Type.Object({});", "function pageOf() {\n  type Page = string;\n}"],
])("a type name that is declared twice is reported: %s and %s", (one, other) => {
  expect(breachesOf({ "src/core/lists/paging.ts": one, "src/http/validation/shapes.ts": other })).toEqual([
    "Page is declared more than once: src/core/lists/paging.ts, src/http/validation/shapes.ts",
  ]);
});

test("a type with the name of a global is reported", () => {
  expect(breachesOf({ "src/feature-requests/model.ts": "export const Request = Type.Object({});" })).toEqual([
    "src/feature-requests/model.ts: Request is the name of a global",
  ]);
});

test("a name that is imported, exported or in a text is no declaration", () => {
  const files = {
    "src/core/lists/paging.ts": "export type Page<R> = { rows: R[] };",
    "src/core/lists/list.ts": 'import {\n  type Page,\n  type Page as Rows,\n} from "./paging.ts";',
    "src/http/validation/shapes.ts":
      "// type Page = string;\nconst MAX_PAGE = 1;\nconst MAX_PAGES = { Page: 1 };",
  };
  expect(breachesOf(files)).toEqual([]);
});
