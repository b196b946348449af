import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeBlocks, documentAt, sectionOf } from "../../../tests/documents/documents.ts";
import { bash, main } from "../../../tests/support/bash.ts";
import { command, serve } from "../../../tests/support/server.ts";
import { dependencies } from "../package.json" with { type: "json" };
import { buildPackage } from "../scripts/package.ts";
import { createClient } from "../src/client.ts";
import { stopServers, temporaryFolder } from "./server.ts";

const document = "docs/recipes.md";
const text = documentAt(document);
const folder = temporaryFolder();
const database = join(folder, "accountd.db");
const runtime = Bun.which("node") ?? process.execPath;
const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading = ""]) => heading);
let env: Record<string, string>;

beforeAll(async () => {
  const installed = join(folder, "node_modules/accountd-client");
  mkdirSync(installed, { recursive: true });
  await buildPackage(join(installed, "dist"));
  writeFileSync(join(installed, "package.json"), readFileSync(join(import.meta.dir, "../package.json")));
  // The declarations refer to the types of the dependencies.
  for (const name of Object.keys(dependencies))
    symlinkSync(join(import.meta.dir, "../node_modules", name), join(folder, "node_modules", name));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  const [client = ""] = codeBlocks(text, "js");
  writeFileSync(join(folder, "client.js"), client);

  await command("organizations", "create", "acme", "--database", database);
  const key = await command("keys", "create", "--organization", "acme", "--database", database);
  // tests/generators starts a proxy that validates requests and replies.
  const { url } = await serve(database, Bun.env.RECIPES_PORT);
  env = {
    ACCOUNTD_SERVER: Bun.env.RECIPES_SERVER ?? url,
    ACCOUNTD_KEY: key,
    BUN: process.execPath,
    MAIN: main,
    FILE: database,
  };
});
afterAll(stopServers);

/** Runs the shell blocks of a recipe, then its program. Returns what the program prints. */
async function run(heading: string): Promise<string> {
  const recipe = sectionOf(document, `## ${heading}`);
  const accountd = 'accountd() { "$BUN" --no-env-file "$MAIN" "$@" --database "$FILE"; }';
  for (const block of codeBlocks(recipe, "sh")) await bash(`set -e\n${accountd}\n${block}`, env, folder);
  const [program] = codeBlocks(recipe, "js");
  if (program === undefined) return "";
  const path = `${heading.toLowerCase().replaceAll(" ", "-")}.js`;
  writeFileSync(join(folder, path), program);
  return bash(`"${runtime}" ${path}`, env, folder);
}

const client = () => createClient({ server: env.ACCOUNTD_SERVER ?? "", key: env.ACCOUNTD_KEY ?? "" });

async function accountOf(externalId: string) {
  const params = { path: { externalId }, query: { include: ["attributes" as const] } };
  return (await client().GET("/api/v1/accounts/external/{externalId}", { params })).data.data;
}

function externalIdsOf(row: unknown): string[] {
  const { externalId } = row as { externalId: string | null };
  return externalId === null ? [] : [externalId];
}

/** What each recipe does: `first` and `second` are what its program prints in the first and the second run. */
const effects: Record<string, (first: string, second: string) => unknown> = {
  async "First sync"(first, second) {
    expect(first).toStartWith("acme created \nglobex created \ninitech failed ");
    expect(first).toEndWith("\n/accounts/2/name must not be empty");
    expect(second).toStartWith("acme unchanged \nglobex unchanged \ninitech failed ");
    expect((await accountOf("acme")).contacts).toMatchObject([{ name: "Ada Lovelace" }]);
  },
  async "Import a CSV file"() {
    const attributes = { sector: "Software", employees: 48_000, renewalDate: "2027-03-15" };
    expect(await accountOf("hooli")).toMatchObject({ name: "Hooli", attributes });
  },
  "Retry-safe create"(first, second) {
    expect(first).toEndWith(" first");
    expect(second).toBe(first.replace("first", "true"));
  },
  async "Edit without overwriting"() {
    // 1,200 and 1,320, each raised by 10 %.
    expect((await accountOf("acme")).mrr).toBe(1_452);
  },
  "Accounts that were not seen for 30 days"(first) {
    expect(first).toBe("Globex 2025-01-15T00:00:00.000Z");
  },
  "Filter by attributes"(first) {
    expect(first).toBe("Acme 2026-12-24");
  },
  "Rank accounts by usage"(first, second) {
    expect(first).toBe("{ accepted: 3, duplicates: 0 } []\nAcme 2\nGlobex 1");
    expect(second).toBe("{ accepted: 0, duplicates: 3 } []\nAcme 2\nGlobex 1");
  },
  "Export to CSV"() {
    const lines = readFileSync(join(folder, "accounts.csv"), "utf8").trim().split("\n");
    expect(lines[0]).toStartWith("id,externalId,name,");
    expect(lines.slice(1).map((line) => line.split(",")[2])).toEqual([
      "Acme",
      "Globex",
      "Umbrella",
      "Hooli",
      "Wayne Enterprises",
    ]);
  },
  async "Nightly delta"(first, second) {
    expect([first, second]).toEqual(["5 accounts", "5 accounts"]);
    // Accounts are created and changed while it runs.
    let isRunning = true;
    const writer = (async () => {
      for (let i = 0; isRunning; i += 1) {
        const path = { externalId: `delta-${i % 40}` };
        const body = { name: `Delta ${i}`, mrr: i };
        await client().PUT("/api/v1/accounts/external/{externalId}", { params: { path }, body });
      }
    })();
    await run("Nightly delta");
    isRunning = false;
    await writer;
    await run("Nightly delta");
    const { rows } = JSON.parse(readFileSync(join(folder, "accounts.json"), "utf8"));
    const stored: Record<string, unknown> = {};
    const query = { include: ["attributes" as const] };
    for await (const row of client().list("/api/v1/accounts", { params: { query } })) stored[row.id] = row;
    expect(Object.keys(stored).length).toBeGreaterThan(10);
    expect(rows).toEqual(stored);
    for (const path of Object.values(stored).flatMap((row) => externalIdsOf(row)))
      if (path.startsWith("delta-")) {
        const params = { path: { externalId: path } };
        await client().DELETE("/api/v1/accounts/external/{externalId}", { params });
      }
  },
  "Follow the change feed"() {
    const lines = readFileSync(join(folder, "changes.jsonl"), "utf8").trim();
    const sequences = lines.split("\n").map((line) => JSON.parse(line).sequence);
    expect(sequences.length).toBeGreaterThan(8);
    expect(sequences).toEqual(sequences.map((_, i) => i + 1));
  },
  async "Erase a person"(first, second) {
    expect(first).toMatch(/^will erase \{[^}]*contacts: 1[^}]*\}\nerased \{[^}]*contacts: 1/);
    expect(second).toMatch(/erased \{[^}]*contacts: 0/);
    expect((await accountOf("acme")).contacts).toEqual([]);
  },
};

test("every recipe has a test, in the order of the document", () => {
  expect(headings).toHaveLength(11);
  expect(Object.keys(effects)).toEqual(headings);
});

test.each(Object.entries(effects))("the recipe runs twice: %s", async (heading, check) => {
  await check(await run(heading), await run(heading));
});

test("the recipes have no errors of types with the declarations of the package", async () => {
  const programs = readdirSync(folder).filter((name) => name.endsWith(".js"));
  expect(programs.length).toBeGreaterThanOrEqual(10);
  const compilerOptions = {
    ...{ allowJs: true, checkJs: true, noEmit: true, strict: true, skipLibCheck: false, target: "ESNext" },
    ...{ module: "NodeNext", lib: ["ESNext", "DOM", "DOM.AsyncIterable"], types: ["bun-types"] },
    typeRoots: [join(import.meta.dir, "../../../node_modules")],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: programs }));
  const tsc = Bun.spawn([process.execPath, "x", "--bun", "tsc", "-p", folder], {
    cwd: join(import.meta.dir, ".."),
  });
  expect(await new Response(tsc.stdout).text()).toBe("");
});
