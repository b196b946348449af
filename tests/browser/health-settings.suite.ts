import { expect } from "bun:test";
import type { Route } from "playwright-core";
import { defaultHealthSettings } from "../../src/shared/health.ts";
import { seriousFindings } from "./axe.ts";
import { shownText } from "./page-text.ts";
import { consoleSuite } from "./suite.ts";

const { server, test, visit } = consoleSuite();
const stored = () => server().request<typeof defaultHealthSettings>("GET", "health/settings");

test("settings are previewed, stored, and reset to the defaults", async ({ page, open, idle }) => {
  await open("/console/health");
  const save = page.getByRole("button", { name: "Save" });
  expect(await save.isDisabled()).toBe(true);
  await page.getByLabel("Healthy from").fill("100");
  await page.getByLabel("Weight of Meetings").fill("0");
  await page.getByRole("button", { name: "Preview" }).click();
  await idle();
  const tiers = page.getByRole("region", { name: "Accounts by health with these settings" });
  expect(await shownText(tiers)).toContain("Accounts then");
  expect(await stored()).toEqual(defaultHealthSettings);
  expect(await seriousFindings(page)).toEqual([]);
  await save.focus();
  await page.keyboard.press("Enter");
  await idle();
  expect(await page.evaluate<string>("document.activeElement.tagName")).toBe("FORM");
  expect(await stored()).toMatchObject({ tiers: { healthy: 100 }, factors: { meetings: { weight: 0 } } });
  await page.getByRole("button", { name: "Back to defaults" }).click();
  expect(await page.getByLabel("Healthy from").inputValue()).toBe("80");
  await save.click();
  await idle();
  expect(await stored()).toEqual(defaultHealthSettings);
});

test("what is entered while saved settings are read again stays, and is stored by the next save", async ({
  page,
  context,
  open,
  idle,
}) => {
  await open("/console/health");
  const held = Promise.withResolvers<Route>();
  await context.route("**/api/v1/health/summary", (route) => held.resolve(route));
  await page.getByLabel("Healthy from").fill("90");
  await page.getByLabel("Healthy from").press("Enter");
  const route = await held.promise;
  await page.locator(".saved-note").getByText("Saved").waitFor();
  // The key was pressed in an input.
  expect(await page.evaluate<string>("document.activeElement.tagName")).toBe("INPUT");
  await page.getByLabel("Attention from").fill("55");
  const save = page.getByRole("button", { name: "Save" });
  expect(await save.isDisabled()).toBe(true);
  await context.unroute("**/api/v1/health/summary");
  await route.continue();
  await idle();
  await save.click();
  await idle();
  expect((await stored()).tiers).toMatchObject({ healthy: 90, attention: 55 });
  await server().request("PUT", "health/settings", defaultHealthSettings);
});

test(
  "thresholds in a wrong order are marked, and nothing is stored",
  async ({ page, open, idle }) => {
    await open("/console/health");
    await page.getByLabel("Meetings: 80 points").fill("9");
    await page.getByRole("button", { name: "Save" }).click();
    await idle();
    const input = page.getByLabel("Meetings: 80 points");
    expect(await input.getAttribute("aria-invalid")).toBe("true");
    expect(await shownText(page.getByRole("row", { name: /^Meetings/ }))).toContain(
      "must be less than the one before it",
    );
    expect(await stored()).toEqual(defaultHealthSettings);
  },
  { expected: [/^400 PUT/] },
);

test(
  "settings that another page has stored meanwhile are not overwritten",
  async ({ page, open, idle }) => {
    await open("/console/health");
    await page.getByLabel("Weight of Meetings").fill("5");
    const other = { ...defaultHealthSettings, tiers: { healthy: 90, attention: 60, at_risk: 40 } };
    await server().request("PUT", "health/settings", other);
    await page.getByRole("button", { name: "Save" }).click();
    await idle();
    await page.getByRole("alert").waitFor();
    expect(await stored()).toEqual(other);
    await server().request("PUT", "health/settings", defaultHealthSettings);
  },
  { expected: [/^412 PUT/] },
);

test("a key without the scope admin reads the settings", async () => {
  const key = await server().createKey("Reader", ["read"]);
  await visit({ key }, async ({ page, open }) => {
    await open("/console/health");
    await page.getByText("A key of an administrator can change these settings.").waitFor();
    expect(await page.getByLabel("Healthy from").isDisabled()).toBe(true);
    expect(await page.locator("main button").count()).toBe(0);
  });
});
