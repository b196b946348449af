import { expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { consoleWorld, session } from "./console-world.ts";

const paths = [
  "/console",
  "/console/accounts",
  "/console/accounts/42",
  "/console/accounts/42?days=90",
  "/console/contacts",
  "/console/meetings",
  "/console/requests",
  "/console/unmatched",
  "/console/import",
  "/console/health",
  "/console/keys",
  "/console/webhooks",
  "/console/organization",
];

async function pages(hasConsole = true, hasConsoleLogos = true) {
  const here = await consoleWorld({ hasConsole, hasConsoleLogos });
  const get = (path: string, init: RequestInit = {}) =>
    here.app.fetch(new Request(`http://localhost${path}`, init));
  return { ...here, get };
}

test("every path of the console is one page without a key, under a strict content-security-policy", async () => {
  const { get } = await pages();
  const html = await (await get("/console")).text();
  for (const path of paths) {
    const page = await get(path);
    expect([path, page.status, await page.text()]).toEqual([path, 200, html]);
    expect(Object.fromEntries(page.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: https:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cache-control": "no-store",
    });
    const head = await get(path, { method: "HEAD" });
    expect([path, head.status, await head.text()]).toEqual([path, 200, ""]);
    expect((await get(path, { method: "POST" })).status).toBe(405);
  }
  expect(html).toStartWith('<!doctype html>\n<html lang="en">');
  // No inline script or style, and no outside address.
  expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]* src=)|\/\/|https?:/);
  for (const path of ["/console//", "/console/x", "/console/accounts//", "/console/accounts/1/2", "/Console"])
    expect([path, (await get(path)).status]).toEqual([path, 404]);
});

test("without logos, the policy allows no images of other servers, and the page says so to its script", async () => {
  const { get } = await pages(true, false);
  const missing = { headers: { accept: "text/html" } };
  for (const page of [await get("/console/accounts"), await get("/console/nope", missing)]) {
    expect(page.headers.get("content-security-policy")).toContain("img-src 'self' data:;");
    expect(await page.text()).toStartWith('<!doctype html>\n<html lang="en" data-logos="off">');
  }
});

test("a browser gets the document of the console for a path without a page, other clients a problem", async () => {
  const { get } = await pages();
  const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
  const html = await (await get("/console")).text();
  for (const path of [
    "/console/nope",
    "/console/accounts//",
    "/console/accounts/1/2",
    "/console//",
    "/console/session2",
  ]) {
    const page = await get(path, { headers: { accept } });
    expect([path, page.status, await page.text()]).toEqual([path, 404, html]);
    expect(Object.fromEntries(page.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": expect.stringContaining("script-src 'self'"),
      "x-frame-options": "DENY",
      "cache-control": "no-store",
      "x-request-id": expect.any(String),
    });
    const head = await get(path, { method: "HEAD", headers: { accept } });
    expect([path, head.status, await head.text()]).toEqual([path, 404, ""]);
    for (const init of [
      {},
      { headers: { accept: "application/json" } },
      { method: "POST", headers: { accept } },
    ]) {
      const reply = await get(path, init);
      expect([path, reply.status, reply.headers.get("content-type")]).toEqual([
        path,
        404,
        "application/problem+json",
      ]);
    }
  }
  for (const path of [
    "/nope",
    "/api/v1/nope",
    "/consoles/nope",
    "/console/assets/main.js",
    "/console/assets/a/b",
  ]) {
    const reply = await get(path, { headers: { accept } });
    expect([path, reply.status, reply.headers.get("content-type")]).toEqual([
      path,
      404,
      "application/problem+json",
    ]);
  }
});

test("/ and the paths of the pages with a slash redirect to the page temporarily, with their query", async () => {
  const { get } = await pages();
  const withSlash = paths.map((path) => [path.replace(/$|(?=\?)/, "/"), path]);
  for (const [path = "", page = ""] of [["/", "/console"], ...withSlash]) {
    const reply = await get(path);
    expect([path, reply.status, reply.headers.get("location"), await reply.text()]).toEqual([
      path,
      302,
      page,
      "",
    ]);
    expect(reply.headers.get("cache-control")).toBe("no-store");
  }
});

test("the files have the hash of their content in their path, and are cached for ever, in gzip if accepted", async () => {
  const { get } = await pages();
  const html = await (await get("/console")).text();
  const files = [...html.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, path = ""]) => path);
  expect(files.map((path) => path.replace(/[0-9a-f]{16}/, "HASH"))).toEqual([
    "/console/assets/main-HASH.css",
    "/console/assets/main-HASH.js",
  ]);
  for (const path of files) {
    const plain = await get(path);
    const bytes = await plain.bytes();
    expect(path).toContain(new Bun.CryptoHasher("sha256").update(bytes).digest("hex").slice(0, 16));
    expect(plain.headers.get("content-encoding")).toBeNull();
    const type = path.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8";
    const common = {
      "content-type": type,
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
      "x-content-type-options": "nosniff",
    };
    expect(Object.fromEntries(plain.headers)).toMatchObject(common);
    for (const accept of ["gzip", "gzip, deflate, br, zstd"]) {
      const compressed = await get(path, { headers: { "accept-encoding": accept } });
      expect(Object.fromEntries(compressed.headers)).toMatchObject({ ...common, "content-encoding": "gzip" });
      expect(gunzipSync(await compressed.bytes()).equals(bytes)).toBe(true);
    }
    const head = await get(path, { method: "HEAD" });
    expect([head.status, (await head.bytes()).byteLength]).toEqual([200, 0]);
  }
  for (const name of [
    "main.js",
    "main-0000000000000000.js",
    "..%2fpackage.json",
    "constructor",
    "__proto__",
  ]) {
    const reply = await get(`/console/assets/${name}`);
    expect([name, reply.status, reply.headers.get("cache-control")]).toEqual([name, 404, "no-store"]);
  }
});

test("without the console, its paths do not exist, sessions are no credentials, and / redirects to /docs", async () => {
  const { get, send, first } = await pages(false);
  for (const path of [...paths, "/console/", "/console/assets/main.js", session])
    expect([path, (await get(path)).status]).toEqual([path, 404]);
  const missing = await get("/console/nope", { headers: { accept: "text/html" } });
  expect([missing.status, missing.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
  expect((await get("/")).headers.get("location")).toBe("/docs");
  expect((await send("POST", session, { body: { key: first.key } })).status).toBe(404);
});

test("a session of a server with the console is rejected by one without", async () => {
  const { engine, jobs, signIn } = await consoleWorld();
  const { createApp } = await import("../../src/app.ts");
  const token = await signIn();
  const headers = { "x-accountd-console": "1", cookie: `accountd_session=${token}` };
  const log = { info: () => {}, error: () => {} };
  const statusOf = async (hasConsole: boolean) => {
    const app = createApp({ engine, jobs, log, hasConsole });
    return (await app.fetch(new Request("http://localhost/api/v1/accounts", { headers }))).status;
  };
  expect([await statusOf(true), await statusOf(false)]).toEqual([200, 401]);
});
