import { afterAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { chromiumPath } from "../browser/chromium.ts";
import { ingestServer } from "./ingest-server.ts";

const hasChromium = existsSync(chromiumPath);
if (!hasChromium) console.warn(`There is no ${chromiumPath}: the tests of Analytics.js are skipped.`);

let browser: Browser | undefined;
afterAll(async () => browser?.close());

/** A server of a page with Analytics.js. */
async function servePage() {
  const built = await Bun.build({ entrypoints: [`${import.meta.dir}/page.ts`], target: "browser" });
  const script = await built.outputs[0]?.text();
  return Bun.serve({
    port: 0,
    fetch: ({ url }) =>
      url.endsWith("/page.js")
        ? new Response(script, { headers: { "content-type": "text/javascript" } })
        : new Response('<!doctype html><script src="/page.js"></script>', {
            headers: { "content-type": "text/html" },
          }),
  });
}

/** Runs the calls of the page on a server that allows its origin, or another one. Returns what arrived. */
async function runPage({ isAllowed = true, strategy }: { isAllowed?: boolean; strategy?: "batching" } = {}) {
  using pages = await servePage();
  const origin = `http://localhost:${pages.port}`;
  const { key, url, request, accountWithContacts } = await ingestServer(
    "--cors-origin",
    isAllowed ? origin : "https://other.example.com",
  );
  const { id } = await request("/accounts", { name: "acme", externalId: "acme" });
  browser ??= await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
  const page = await browser.newPage();
  const statuses: string[] = [];
  page.on("response", (response) => {
    if (response.url().startsWith(url))
      statuses.push(`${new URL(response.url()).pathname} ${response.status()}`);
  });
  await page.goto(origin);
  const args = [url.replace("http://", ""), key, strategy] as const;
  // Safe: the script of the page defines it.
  const running = page.evaluate((words) => (globalThis as never as { run: RunPage }).run(...words), args);
  return { page, running, statuses, request, id, accountWithContacts };
}
type RunPage = (host: string, key: string, strategy?: "batching") => Promise<string>;

test.skipIf(!hasChromium)(
  "Analytics.js delivers every call from a page of an allowed origin",
  async () => {
    const { page, running, statuses, request, id, accountWithContacts } = await runPage();
    expect(await running).toBe("done");
    await page.close();
    const paths = ["/v1/g", "/v1/i", "/v1/t", "/v1/t", "/v1/t", "/v1/p", "/v1/a", "/v1/s"];
    expect(statuses.toSorted()).toEqual(paths.map((path) => `${path} 200`).toSorted());
    const [usage] = await request(`/accounts/${id}/usage`);
    expect(usage).toMatchObject({ event: "report.exported", count: 3, users: 1 });
    expect(await accountWithContacts("acme")).toMatchObject({
      name: "Acme Inc.",
      contacts: [{ name: "Ada", email: "ada@x.io" }],
    });
  },
  30_000,
);

test.skipIf(!hasChromium)(
  "Analytics.js delivers batches",
  async () => {
    const { page, running, statuses, request, id } = await runPage({ strategy: "batching" });
    expect(await running).toBe("done");
    const count = async () => (await request(`/accounts/${id}/usage`))[0]?.count;
    for (let i = 0; i < 100 && (await count()) !== 3; i += 1) await Bun.sleep(50);
    expect(await count()).toBe(3);
    await page.close();
    expect(new Set(statuses)).toEqual(new Set(["/v1/b 200"]));
  },
  30_000,
);

test.skipIf(!hasChromium)(
  "a browser sends nothing from a page of another origin",
  async () => {
    const { page, running, request, id } = await runPage({ isAllowed: false });
    // The library tries again for minutes.
    running.catch(() => {});
    await page.waitForEvent("requestfailed", { timeout: 10_000 });
    await page.close();
    expect(await request(`/accounts/${id}/usage`)).toEqual([]);
  },
  30_000,
);
