import { rmSync } from "node:fs";
import { join } from "node:path";
import { closeAll } from "../support/cleanup.ts";
import { command, serve } from "../support/server.ts";
import { useMemory } from "../support/temporary-folder.ts";
import manifest from "./package.json" with { type: "json" };
import { tools } from "./tools.ts";
import { makeFolder } from "./workspace.ts";

/**
 * Generates clients from the OpenAPI document and uses them against a server: `bun tests/generators/run.ts [NAME...]`.
 * Prints the versions and the result of each; exits with 1 if one does not work.
 */
const chosen = process.argv.slice(2);
const versions: Record<string, string> = manifest.dependencies;

const unknown = chosen.filter((name) => !tools.some((tool) => tool.name === name));
if (unknown.length > 0)
  throw new Error(`no generator ${unknown}; there are ${tools.map(({ name }) => name)}`);
const install = [process.execPath, "install", "--frozen-lockfile", "--ignore-scripts"];
// The recipes, which run through Prism, need the typed client.
for (const cwd of [import.meta.dir, join(import.meta.dir, "../../clients/typescript")])
  if (Bun.spawnSync(install, { cwd, stderr: "inherit" }).exitCode !== 0)
    throw new Error(`${cwd} cannot be installed`);
useMemory();
const folder = await makeFolder();
try {
  const database = join(folder, "accountd.db");
  await command("organizations", "create", "first", "--database", database);
  const { url: server } = await serve(database);
  for (const { name, packages, run } of tools.filter(
    ({ name }) => chosen.length === 0 || chosen.includes(name),
  )) {
    await command("organizations", "create", name, "--database", database);
    const words = ["--organization", name, "--scope", "read,write,events,admin", "--database", database];
    const key = await command("keys", "create", ...words);
    const title = packages.map((each) => `${each} ${versions[each]}`).join(", ");
    try {
      console.info(`${title}: works. ${await run({ folder, server, key })}`);
    } catch (error) {
      process.exitCode = 1;
      console.error(`${title}: fails. ${error}`);
    }
  }
} finally {
  await closeAll();
  rmSync(folder, { recursive: true, force: true });
}
