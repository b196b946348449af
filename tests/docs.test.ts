import { expect, test } from "bun:test";
import { join } from "node:path";
import { itemCodes, problemCodes, violationCodes } from "../src/core/errors.ts";
import { world } from "./support/world.ts";

test("/docs is a page served wholly from here, under a strict content-security-policy", async () => {
  const { app } = await world();
  const get = (path: string) => app.fetch(new Request(`http://localhost${path}`));
  const page = await get("/docs");
  const html = await page.text();
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self';/);
  expect(html).not.toMatch(/https?:|\/\//);
  const assets = [...html.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, path]) => path);
  expect(assets).toHaveLength(3);
  for (const path of assets) {
    const asset = await get(`/${path}`);
    expect([asset.status, asset.headers.get("x-content-type-options")]).toEqual([200, "nosniff"]);
    expect((await asset.text()).length).toBeGreaterThan(50);
  }
  for (const path of ["nope", "..", "%2e%2e", "constructor"])
    expect((await get(`/docs/assets/${path}`)).status).toBe(404);
});

test("the README names every code that an answer can hold", async () => {
  const readme = await Bun.file(join(import.meta.dir, "../README.md")).text();
  const codes = [...problemCodes, ...violationCodes, ...itemCodes];
  expect(codes.filter((code) => !readme.includes(`\`${code}\``))).toEqual([]);
});
