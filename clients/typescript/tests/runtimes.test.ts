import { afterAll, afterEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
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

const hasNode = Bun.which("node") !== null;
if (!hasNode) console.warn("There is no node: the test of the client on Node is skipped.");
const executablePath = Bun.env.CHROMIUM ?? "/usr/bin/chromium";
const hasChromium = existsSync(executablePath);
if (!hasChromium) console.warn(`There is no ${executablePath}: the test of the client in a page is skipped.`);

test("the built package works on Bun", async () => {
  const { server, key } = await startServer();
  const built: Package = await import(join(folder, "client.js"));
  expect(await runScenario(built, server, key)).toEqual(expected);
});

test.skipIf(!hasNode)("the built package works on Node", async () => {
  const { server, key } = await startServer();
  const script = `import * as built from "./client.js";
import { runScenario } from "./scenario.js";
console.log(JSON.stringify(await runScenario(built, ...process.argv.slice(2))));`;
  await Bun.write(join(folder, "package.json"), '{"type":"module"}');
  await Bun.write(join(folder, "run.js"), script);
  const node = Bun.spawn(["node", join(folder, "run.js"), server, key], { stderr: "pipe" });
  const [output, errors] = await Promise.all(
    [node.stdout, node.stderr].map((stream) => new Response(stream).text()),
  );
  expect([await node.exited, errors]).toEqual([0, ""]);
  expect(JSON.parse(output ?? "")).toEqual(expected);
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
