import { expect, test } from "bun:test";
import { dirname, join, relative } from "node:path";
import { breachesOf, importsOf } from "./boundaries.ts";

const root = join(import.meta.dir, "..");
/** The sources of the service by their paths. */
const tree: Record<string, string> = {};
for (const path of new Bun.Glob("{src,db}/**/*.ts").scanSync(root))
  tree[path] = await Bun.file(join(root, path)).text();

test("the walls stand", () => {
  expect(Object.keys(tree).length).toBeGreaterThan(60);
  expect(importsOf(tree).length).toBeGreaterThan(250);
  expect(breachesOf(tree)).toEqual([]);
});

test.each([
  ["db/sqlite/file.ts", 'import { fold } from "../src/core/folding.ts";'],
  ["db/sqlite/file.ts", 'export { fold } from "../src/core/folding.ts";'],
  ["db/sqlite/file.ts", 'const late = await import("../src/core/folding.ts");'],
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
  ["src/core/tenant.ts", 'import { getAccount } from "./accounts/store.ts";'],
  ["src/core/folding.ts", 'import { Tenant } from "./tenant.ts";'],
  ["src/contacts/store.ts", 'import { getAccount } from "../accounts/store.ts";'],
  ["src/contacts/store.ts", 'import { addMeeting } from "../meetings/store.ts";'],
  ["src/feature-requests/model.ts", 'import type { Meeting } from "../meetings/model.ts";'],
  ["src/contacts/store.ts", 'import { ingest } from "../events/ingest.ts";'],
  ["src/events/ingest.ts", 'import { contactStore } from "../contacts/store.ts";'],
  ["src/events/routes.ts", 'import { seen } from "../last-seen/store.ts";'],
  ["src/last-seen/store.ts", 'import { contactStore } from "../contacts/store.ts";'],
  ["src/health-scores/inputs.ts", 'import { usageOf } from "../usage/store.ts";'],
  ["src/health-scores/refresh.ts", 'import { getAccount } from "../accounts/store.ts";'],
  ["src/usage/store.ts", 'import { healthOf } from "../health/score.ts";'],
  ["src/health-scores/score.ts", 'import { eq } from "drizzle-orm";'],
  ["src/health-scores/score.ts", 'import type { Tenant } from "../tenant.ts";'],
  ["src/events/segment.ts", 'import { parked } from "./parked.ts";'],
  ["src/events/pending.ts", 'import { Type } from "@sinclair/typebox";'],
  ["src/last-seen/routes.ts", 'import type { Engine } from "../../db/open.ts";'],
  ["src/core/resource.ts", 'import { contactStore } from "./contacts/store.ts";'],
  ["src/core/list-query.ts", 'import { pageOf } from "./http/shapes.ts";'],
  ["src/core/list-query.ts", 'import type { Database } from "bun:sqlite";'],
  ["src/core/tenant.ts", 'import { noAccount } from "./account-reference.ts";'],
  ["src/http/resource-handlers.ts", 'import { contactStore } from "../contacts/store.ts";'],
  ["src/http/resource-handlers.ts", 'import { eq } from "drizzle-orm";'],
  ["src/jobs/scheduler.ts", 'import { Elysia } from "elysia";'],
  ["src/jobs/scheduler.ts", 'import { eq } from "drizzle-orm";'],
  ["src/jobs/scheduler.ts", 'import { statements } from "../db/statements.ts";'],
  ["src/jobs/scheduler.ts", 'import { eventRoutes } from "./events/routes.ts";'],
  ["src/jobs/scheduler.ts", 'import { present } from "./health/model.ts";'],
  ["src/events/store.ts", 'import { startUpkeep } from "../upkeep.ts";'],
  ["src/accounts/store.ts", "const now = Date.now();"],
  ["src/app.ts", 'import "./production.ts";\nconst clock = Date.now;'],
  ["src/http/api.ts", "const now = new Date();"],
  ["src/http/api.ts", "const { PORT } = process.env;"],
  ["src/cli/serve.ts", "const port = Bun.env.PORT;"],
  ["src/cli/serve.ts", "const [name] = process.argv;"],
  ["src/core/paging.ts", "function pageOf(query: any) {}"],
  ["src/core/paging.ts", "const pages = new Map<string, any>();"],
  ["src/core/paging.ts", "const page = query as any;"],
  ["src/http/utils.ts", ""],
  ["src/cli/helpers.ts", ""],
  ["db/lib/lock.ts", ""],
  ["src/http/index.ts", ""],
  ["db/types.ts", ""],
  ["src/accounts/service.ts", ""],
  ["src/events/due.ts", ""],
  ["src/plans/store.ts", ""],
  ["src/main.ts", 'import { serveCommand } from "./cli/serve.ts";\nimport "./production.ts";'],
  ["src/app.ts", 'import { Elysia } from "elysia";'],
])("a breach in %s is found: %s", (path, source) => {
  expect(breachesOf({ [path]: source })).toHaveLength(1);
});

test.each([
  ["src/accounts/store.ts", "src/contacts/store.ts"],
  ["src/accounts/store.ts", "src/events/pending.ts"],
  ["src/accounts/model.ts", "src/health-scores/model.ts"],
  ["src/contacts/store.ts", "src/health-scores/refresh.ts"],
  ["src/events/ingest.ts", "src/usage/store.ts"],
  ["src/last-seen/store.ts", "src/health-scores/refresh.ts"],
  ["src/health-scores/stale.ts", "src/health-scores/score.ts"],
  ["src/meetings/store.ts", "src/core/resource.ts"],
  ["src/core/resource.ts", "db/statements.ts"],
  ["src/http/resource-handlers.ts", "src/accounts/reference.ts"],
  ["src/http/resource-handlers.ts", "src/core/list-query.ts"],
  ["src/jobs/scheduler.ts", "db/sqlite/engine.ts"],
  ["src/jobs/scheduler.ts", "src/health-scores/refresh.ts"],
  ["src/cli/serve.ts", "src/jobs/scheduler.ts"],
])("%s may import %s", (from, to) => {
  expect(breachesOf({ [from]: `import { one } from "./${relative(dirname(from), to)}";` })).toEqual([]);
});

test("a file that is too long is found", () => {
  expect(breachesOf({ "src/core/paging.ts": "// a line\n".repeat(250) })).toEqual([]);
  expect(breachesOf({ "src/core/paging.ts": "// a line\n".repeat(251) })).toHaveLength(1);
});

test("a cycle of imports is found", () => {
  const files = {
    "src/core/errors.ts": 'import { log } from "./log.ts";',
    "src/log.ts": 'import { page } from "./paging.ts";',
    "src/core/paging.ts": 'import type { Problem } from "./errors.ts";',
  };
  expect(breachesOf(files)).toEqual([
    "a cycle: src/errors.ts -> src/log.ts -> src/paging.ts -> src/errors.ts",
  ]);
});
