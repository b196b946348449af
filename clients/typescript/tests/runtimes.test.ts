import { afterAll, afterEach, expect, test } from "bun:test";
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { buildPackage } from "../scripts/package.ts";
import { expected, type Package, runScenario } from "./scenario.ts";
import { startServer, stopServers } from "./server.ts";

const folder = mkdtempSync(join(tmpdir(), "accountd-client-package-"));
await buildPackage(folder);
await Bun.build({ entrypoints: [join(import.meta.dir, "scenario.ts")], outdir: folder, target: "browser" });

afterEach(stopServers);
afterAll(() => rmSync(folder, { recursive: true }));

const hasNode = Bun.which("node") !== null && Bun.which("npm") !== null;
if (!hasNode) console.warn("There is no node with npm: the test of the client on Node is skipped.");
const executablePath = Bun.env.CHROMIUM ?? "/usr/bin/chromium";
const hasChromium = existsSync(executablePath);
if (!hasChromium) console.warn(`There is no ${executablePath}: the test of the client in a page is skipped.`);

test("the built package works on Bun", async () => {
  const { server, key } = await startServer();
  const built: Package = await import(join(folder, "client.js"));
  expect(await runScenario(built, server, key)).toEqual(expected);
});

/** Runs a program in a folder. Returns its output. Throws its errors. */
async function run(cwd: string, ...command: string[]): Promise<string> {
  const child = Bun.spawn(command, { cwd, stderr: "pipe" });
  const [output, errors] = await Promise.all(
    [child.stdout, child.stderr].map((stream) => new Response(stream).text()),
  );
  if ((await child.exited) !== 0) throw new Error(errors);
  return output ?? "";
}

test.skipIf(!hasNode)("the tarball of `npm pack` works in an empty project on Node", async () => {
  const { server, key } = await startServer();
  const [packed, project] = [join(folder, "packed"), join(folder, "project")];
  for (const name of ["package.json", "README.md"])
    cpSync(join(import.meta.dir, "..", name), join(packed, name));
  await buildPackage(join(packed, "dist"));
  await run(packed, "npm", "pack", "--silent");
  const [tarball = ""] = readdirSync(packed).filter((name) => name.endsWith(".tgz"));
  await Bun.write(join(project, "package.json"), '{"type":"module"}');
  await run(project, "npm", "install", "--no-audit", "--no-fund", "--prefer-offline", join(packed, tarball));
  cpSync(join(folder, "scenario.js"), join(project, "scenario.js"));
  const script = `import * as built from "accountd-client";
import { runScenario } from "./scenario.js";
console.log(JSON.stringify(await runScenario(built, ...process.argv.slice(2))));`;
  await Bun.write(join(project, "run.js"), script);
  const output = await run(project, "node", "run.js", server, key);
  expect(JSON.parse(output)).toEqual(JSON.parse(JSON.stringify(expected)));
});

test("the module is below 12 kB in gzip", async () => {
  const bytes = await Bun.file(join(folder, "client.js")).bytes();
  expect(Bun.gzipSync(bytes).byteLength).toBeLessThan(12_000);
});

/** A page with the package, and with the API of a server at the same origin, as a proxy in front of both serves them. */
function servePages(server?: string) {
  return Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (pathname.endsWith(".js")) return new Response(Bun.file(join(folder, pathname)));
      if (pathname === "/")
        return new Response("<!doctype html><title>Client</title>", {
          headers: { "content-type": "text/html" },
        });
      if (server === undefined) return new Response(null, { status: 404 });
      const { method, headers } = request;
      const body = method === "GET" ? null : await request.arrayBuffer();
      return fetch(new URL(pathname + search, server), { method, headers, body, decompress: false });
    },
  });
}

/** Runs a program in a page that imports the package as `built` and the scenario as `scenario`. */
async function runInPage(origin: string, program: string): Promise<unknown> {
  await using browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const page = await browser.newPage();
  await page.goto(origin);
  return await page.evaluate(`Promise.all([import("/client.js"), import("/scenario.js")]).then(
    ([built, scenario]) => ${program})`);
}

test.skipIf(!hasChromium)("the built package works in a page", async () => {
  const { server, key } = await startServer();
  await using pages = servePages(server);
  const program = `scenario.runScenario(built, location.origin, ${JSON.stringify(key)})`;
  expect(await runInPage(pages.url.origin, program)).toEqual(expected);
});

test.skipIf(!hasChromium)("a page of another origin sends events", async () => {
  await using pages = servePages();
  const { server, key } = await startServer({
    keyOptions: ["--scope", "events"],
    options: ["--cors-origin", pages.url.origin],
  });
  const events = Array.from({ length: 1_001 }, () => ({ event: "opened", externalId: "acme" }));
  const options = JSON.stringify({ server, key });
  const program = `built.createClient(${options}).sendEvents(${JSON.stringify(events)})`;
  expect(await runInPage(pages.url.origin, program)).toMatchObject({
    parked: 1_001,
    items: { length: 1_001 },
  });
});
