import { expect, test } from "bun:test";
import { join } from "node:path";
import { Elysia } from "elysia";
import { featureRoutes } from "../../src/app.ts";
import { documentationRoutes, guides } from "../../src/http/openapi/documentation.ts";
import { world } from "../support/world.ts";

test("/docs loads only assets of the service, under a strict content-security-policy", async () => {
  const { app } = await world();
  const get = (path: string) => app.fetch(new Request(`http://localhost${path}`));
  const page = await get("/docs");
  const html = await page.text();
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self';/);
  expect(html).not.toMatch(/https?:|\/\//);
  const assets = [...html.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, path]) => path);
  expect(assets).toEqual([
    "docs/assets/api-reference.css",
    "docs/guides/api",
    "docs/guides/api",
    "docs/assets/api-reference.js",
    "docs/assets/start.js",
  ]);
  for (const path of assets) {
    const asset = await get(`/${path}`);
    expect([asset.status, asset.headers.get("x-content-type-options")]).toEqual([200, "nosniff"]);
    expect((await asset.text()).length).toBeGreaterThan(50);
  }
  for (const path of ["nope", "..%2fpackage.json", "%2e%2e%2fx", "constructor"])
    expect((await get(`/docs/assets/${path}`)).status).toBe(404);
});

test("/llms.txt links every guide and the OpenAPI document, and /llms-full.txt has the guides, without a key", async () => {
  const { app } = await world();
  const get = (path: string) => app.fetch(new Request(`http://localhost${path}`));
  const index = await get("/llms.txt");
  expect([index.status, index.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
  const text = await index.text();
  expect(text).toStartWith("# accountd\n\n> ");
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = ""]) => link);
  expect(links).toEqual([
    "/llms-full.txt",
    "/docs/json",
    ...Object.keys(guides).map((name) => `/docs/guides/${name}`),
  ]);
  for (const link of links) expect([link, (await get(link)).status]).toEqual([link, 200]);
  const full = await (await get("/llms-full.txt")).text();
  const withoutLinks = (markdown: string) => markdown.replace(/\[([^\]]+)\]\([^)\s]+\)/g, "$1");
  for (const name of Object.keys(guides)) {
    const markdown = await Bun.file(join(import.meta.dir, `../../docs/${name}.md`)).text();
    expect([name, withoutLinks(full).includes(withoutLinks(markdown))]).toEqual([name, true]);
  }
  const linked = [...full.matchAll(/\[[^\]]+\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
  expect(linked.length).toBeGreaterThan(100);
  for (const link of new Set(linked)) {
    if (link.startsWith("https:")) continue;
    const [path = "", heading = ""] = link.split("#");
    const page = await get(path);
    expect([link, page.status]).toEqual([link, 200]);
    expect([link, (await page.text()).includes(heading && `id="${heading}"`)]).toEqual([link, true]);
  }
});

test("a document that could not be made is made by the next request", async () => {
  let isFailing = true;
  const routes = new Proxy(new Elysia(), {
    get(target, name) {
      if (isFailing) throw new Error("a module could not be loaded");
      return Reflect.get(target, name, target);
    },
  });
  const app = documentationRoutes({ home: "/docs", originOf: () => "" }, routes);
  const get = () => app.handle(new Request("http://localhost/docs/json"));
  expect((await get()).status).toBe(500);
  isFailing = false;
  const reply = await get();
  expect([reply.status, JSON.parse(await reply.text()).openapi]).toEqual([200, "3.1.0"]);
});

test("documents for 400 hosts and parts leave nothing in memory", async () => {
  let count = 0;
  const originOf = () => `https://host${count++}.example`;
  const app = documentationRoutes({ home: "/docs", originOf }, ...featureRoutes);
  const heapAfter = async (requests: number) => {
    for (let i = 0; i < requests; i++) {
      const query = i % 2 === 0 ? "" : `?tag=Accounts&operations=getMe&x=${i}`;
      const reply = await app.handle(new Request(`http://localhost/docs/json${query}`));
      expect(JSON.parse(await reply.text()).servers).toEqual([{ url: `https://host${count - 1}.example` }]);
    }
    Bun.gc(true);
    return process.memoryUsage().heapUsed;
  };
  const before = await heapAfter(20);
  // The documents have 75 MB.
  expect((await heapAfter(400)) - before).toBeLessThan(15_000_000);
});

test("/docs/ and, without the console, / redirect to /docs temporarily, without a key", async () => {
  const { app } = await world({ hasConsole: false });
  for (const method of ["GET", "HEAD"])
    for (const path of ["/", "/?x=1", "/docs/"]) {
      const reply = await app.fetch(new Request(`http://localhost${path}`, { method }));
      expect([method, path, reply.status, await reply.text()]).toEqual([method, path, 302, ""]);
      expect(Object.fromEntries(reply.headers)).toMatchObject({
        location: "/docs",
        "cache-control": "no-store",
      });
      expect(reply.headers.has("content-type")).toBe(false);
    }
});

test("the page after a redirect finds its assets", async () => {
  const { app } = await world({ hasConsole: false });
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: app.fetch });
  try {
    for (const path of ["", "docs/", "docs"]) {
      const page = await fetch(`${server.url}${path}`);
      expect([path, page.status, new URL(page.url).pathname]).toEqual([path, 200, "/docs"]);
      const assets = [...(await page.text()).matchAll(/(?:src|href)="(docs\/[^"]+)"/g)];
      for (const [, asset = ""] of assets)
        expect([asset, (await fetch(new URL(asset, page.url))).status]).toEqual([asset, 200]);
    }
  } finally {
    await server.stop(true);
  }
});

test("the viewer sends data to this server only, and keeps no key", async () => {
  const { app } = await world();
  const script = await (await app.fetch(new Request("http://localhost/docs/assets/start.js"))).text();
  const requested: string[] = [];
  const json = { info: {}, components: {}, paths: {} };
  const fetch = async (path: string) => {
    requested.push(path);
    return Response.json(
      path === "docs/json" ? json : { data: { key: { id: 7, name: "", lastFour: "abcd" } } },
    );
  };
  const document = {
    getElementById: () => ({}),
    documentElement: { classList: { toggle() {} }, dataset: {} },
  };
  const window = { SwaggerUIBundle: (chosen: object) => resolve(chosen) };
  const { promise: options, resolve } = Promise.withResolvers<object>();
  const matchMedia = () => ({ matches: false, addEventListener() {} });
  const localStorage = { getItem: () => null };
  const names = ["window", "document", "location", "fetch", "matchMedia", "localStorage"];
  const start = new Function(...names, script);
  start(window, document, { href: "http://localhost/docs" }, fetch, matchMedia, localStorage);

  expect(await options).toMatchObject({
    persistAuthorization: false,
    queryConfigEnabled: false,
    validatorUrl: null,
  });
  expect(requested).toEqual(["docs/json", "console/session"]);
  // A session is used with the key that it had at the beginning, and never next to an API key.
  // Safe: the options of the viewer.
  const { requestInterceptor } = (await options) as {
    requestInterceptor: (request: { headers: object }) => { headers: object };
  };
  const session = { "x-accountd-console": "1", "x-accountd-key": "7" };
  expect(requestInterceptor({ headers: {} }).headers).toEqual(session);
  for (const name of ["X-API-Key", "Authorization"])
    expect(requestInterceptor({ headers: { [name]: "x" } }).headers).toEqual({ [name]: "x" });
});
