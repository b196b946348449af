import { expect } from "bun:test";
import { checkPage } from "./axe.ts";
import { consoleSuite } from "./suite.ts";

const { server, test } = consoleSuite();

test("the reference lists the operations, and finds them by search", async ({ page, open }) => {
  await open("/console/api");
  await page.getByRole("link", { name: "List accounts" }).first().waitFor();
  await page.getByRole("button", { name: "Open Search" }).click();
  await page.getByRole("dialog").locator("input").fill("unmatched");
  await page.getByRole("dialog").getByText("/api/v1/events/unmatched").first().waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Keys" }).click();
  await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
});

test("a request of the reference has the session, without a key to enter", async ({ page, open }) => {
  await open("/console/api");
  await page.getByRole("link", { name: "List accounts" }).first().click();
  await page
    .getByRole("button", { name: /Test Request.*\/api\/v1\/accounts\)?$/ })
    .first()
    .click();
  const [reply] = await Promise.all([
    page.waitForResponse((response) => new URL(response.url()).pathname === "/api/v1/accounts"),
    page.getByRole("button", { name: /^Send/ }).first().click(),
  ]);
  expect(reply.status()).toBe(200);
  const headers = reply.request().headers();
  expect(headers["x-accountd-console"]).toBe("1");
  expect(headers["x-accountd-key"]).toBe("1");
  expect(headers["x-api-key"]).toBeUndefined();
});

test(
  "the reference and the guides are at /docs without a session, the key in x-api-key first",
  async ({ page }) => {
    await page.goto(`${server().url}/docs`);
    await page.getByRole("link", { name: "List accounts" }).first().waitFor();
    await page.getByText("x-api-key").first().waitFor();
    await page.goto(`${server().url}/docs/guides/api`);
    await page.getByRole("heading", { level: 1 }).waitFor();
  },
  { key: null },
);

test("the findings of axe-core on the reference are listed", async ({ page, open }) => {
  await open("/console/api");
  await page.getByRole("link", { name: "List accounts" }).first().waitFor();
  const findings = [...(await checkPage(page, "light")), ...(await checkPage(page, "dark"))];
  for (const { impact, text } of findings)
    console.log(`axe-core, API reference: ${impact}: ${text.slice(0, 160)}`);
});
