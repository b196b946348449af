import { expect, test } from "bun:test";
import { basename } from "node:path";
import { gunzipSync } from "node:zlib";
import { world } from "../support/world.ts";

const names = [...new Bun.Glob("*.md").scanSync("docs")].map((path) => basename(path, ".md")).toSorted();

/** A script, a style or a file from another place. An image in its own address does not count. */
const executable =
  /<(?:script|style|iframe|img(?! src="data:image\/svg\+xml,))|<link[^>]+href="(?:https?:)?\/\/|<\w[^>]*\s(?:style|on\w+)=/;

async function readGuides() {
  const { app } = await world();
  const get = (path: string, init: RequestInit = {}) =>
    app.fetch(new Request(`http://localhost${path}`, init));
  const pages = new Map<string, string>();
  for (const name of names) {
    const reply = await get(`/docs/guides/${name}`);
    expect([name, reply.status, reply.headers.get("content-type")]).toEqual([
      name,
      200,
      "text/html; charset=utf-8",
    ]);
    expect(reply.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'self';/);
    pages.set(name, await reply.text());
  }
  return { get, pages };
}

test("every document of docs/ is a page, without a key, a script or an outside address", async () => {
  const { get, pages } = await readGuides();
  expect(names).toEqual([...pages.keys()]);
  for (const [name, html] of pages) {
    expect([name, executable.test(html)]).toEqual([name, false]);
    expect([name, html.includes("&lt;!--")]).toEqual([name, false]);
    expect(html).toContain(`<a href="${name}" aria-current="page">`);
    expect(html).toContain('alt="" width="24" height="24">accountd</a>');
  }
  for (const path of ["nope", "..%2fapi", "constructor", "api.md", "API"])
    expect([path, (await get(`/docs/guides/${path}`)).status]).toEqual([path, 404]);
  for (const path of ["/docs/guides", "/docs/guides/"]) {
    const reply = await get(path);
    expect([path, reply.status, reply.headers.get("location")]).toEqual([path, 302, "/docs/guides/api"]);
  }
  const style = await get("/docs/assets/guide.css");
  expect([style.status, style.headers.get("content-type")]).toEqual([200, "text/css; charset=utf-8"]);
});

test("every link of a guide refers to a heading, a guide, the reference or a file of the server", async () => {
  const { pages } = await readGuides();
  const idsOf = (html = "") => new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id));
  const broken = [...pages].flatMap(([name, html]) =>
    [...html.matchAll(/<(?:a|link)[^>]* href="([^"]+)"/g)].flatMap(([, href = ""]) => {
      if (/^(?:data:|https:)|^\.\.\/(?:assets\/guide\.css|\.\.\/(?:docs)?)$/.test(href)) return [];
      const [page = "", heading] = href.split("#");
      const target = pages.get(page === "" ? name : page);
      return target && (heading === undefined || idsOf(target).has(heading)) ? [] : [`${name}: ${href}`];
    }),
  );
  expect(broken).toEqual([]);
});

test("files of the documentation are revalidated, and sent in gzip if that is accepted", async () => {
  const { get, pages } = await readGuides();
  for (const path of ["/docs/guides/api", "/docs/assets/start.js"]) {
    const reply = await get(path, { headers: { "accept-encoding": "gzip" } });
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      "cache-control": "public, no-cache",
      "content-encoding": "gzip",
      vary: "accept-encoding",
    });
    const plain = await get(path);
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(gunzipSync(await reply.bytes()).toString()).toBe(await plain.text());
    const etag = reply.headers.get("etag") ?? "";
    expect(plain.headers.get("etag")).toBe(etag);
    const repeated = await get(path, { headers: { "if-none-match": etag } });
    expect([repeated.status, await repeated.text()]).toEqual([304, ""]);
  }
  expect(pages.size).toBeGreaterThan(7);
});
