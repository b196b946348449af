import { expect } from "bun:test";
import { consoleSuite } from "./suite.ts";

const { server, test, visit } = consoleSuite();

test("the reference lists the operations, and finds them by words of paths and summaries", async ({
  page,
  open,
}) => {
  await open("/console");
  await page.locator(".menu summary").click();
  await page.getByRole("link", { name: "API reference" }).click();
  await page.getByText("List accounts", { exact: true }).waitFor();
  await page.locator(".operation-filter-input").fill("get unmatched");
  await page.getByText("List accounts", { exact: true }).waitFor({ state: "detached" });
  await page.locator('[data-path="/api/v1/events/unmatched"]').waitFor();
});

test("a first attempt of an operation sends no filter, with the session of the console", async ({
  page,
  open,
}) => {
  await open("/console");
  await page.goto(`${server().url}/docs#/Accounts/listAccounts`);
  await page.getByRole("button", { name: "Try it out" }).click();
  const [request] = await Promise.all([
    page.waitForRequest((sent) => sent.url().includes("/api/v1/accounts")),
    page.getByRole("button", { name: "Execute" }).click(),
  ]);
  expect(request.url()).toBe(`${server().url}/api/v1/accounts`);
  expect((await request.response())?.status()).toBe(200);
});

test("the longest name of a key fits into the reference and the menu at 390 px", async () => {
  const key = await server().createKey("n".repeat(255), ["read"]);
  await visit({ key, width: 390 }, async ({ page, open }) => {
    await open("/console");
    await page.locator(".menu summary").click();
    await page.getByRole("button", { name: "Sign out", exact: true }).waitFor();
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(390);
    await page.goto(`${server().url}/docs`);
    await page.locator("#session:not(:empty)").waitFor();
    const typefaces =
      "['header', '#session'].map((name) => getComputedStyle(document.querySelector(name)).fontFamily)";
    expect(new Set(await page.evaluate<string[]>(typefaces)).size).toBe(1);
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(390);
  });
});

test(
  "the reference and the guides are at /docs without a session, the key in x-api-key first",
  async ({ page }) => {
    await page.goto(`${server().url}/docs`);
    await page.getByText("List accounts", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Authorize" }).click();
    expect(await page.locator(".auth-container h4").first().textContent()).toContain("apiKey");
    await page.goto(`${server().url}/docs/guides/api`);
    await page.getByRole("heading", { level: 1 }).waitFor();
  },
  { key: null },
);

test(
  "the header of a guide shows the current page at 390 px, and links to the home page",
  async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 800 });
    for (const name of ["concepts", "console", "architecture"]) {
      await page.goto(`${server().url}/docs/guides/${name}`);
      const { x, width } = (await page.locator("header [aria-current]").boundingBox()) ?? { x: -1, width: 0 };
      expect(Math.min(x, 390 - x - width)).toBeGreaterThanOrEqual(0);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    }
    await page.getByRole("link", { name: "accountd", exact: true }).click();
    await page.waitForURL("**/console**");
  },
  { key: null },
);
