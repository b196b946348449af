import { consoleSuite } from "./suite.ts";

const { server, test } = consoleSuite();

test("the reference lists the operations, and finds them by search", async ({ page, open }) => {
  await open("/console");
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "API" }).click();
  await page.getByRole("link", { name: "List accounts" }).first().waitFor();
  await page.getByRole("button", { name: "Open Search" }).click();
  await page.getByRole("dialog").locator("input").fill("unmatched");
  await page.getByRole("dialog").getByText("/api/v1/events/unmatched").first().waitFor();
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
