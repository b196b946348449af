import { expect } from "bun:test";
import type { Locator, Page, Route } from "playwright-core";
import { eventually } from "./page-text.ts";
import { consoleSuite } from "./suite.ts";

const { server, test, visit, createAccount } = consoleSuite();

const input = (page: Page) => page.getByRole("combobox", { name: "Search accounts, contacts" });
const options = (page: Page) => page.getByRole("dialog").getByRole("option");
const active = (page: Page) => page.locator("[role=option][aria-selected=true] > span:first-of-type");
const status = (page: Page) => page.getByRole("dialog").getByRole("status");
const path = (page: Page) => new URL(page.url()).pathname + new URL(page.url()).search;

async function search(page: Page, text: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await input(page).fill(text);
}

const isFocused = (locator: Locator) => locator.evaluate((element) => element.matches(":focus"));

test("Ctrl K and the button of every page open the palette, and Ctrl K or Escape closes it", async ({
  page,
  open,
}) => {
  await open("/console/keys");
  const dialog = page.getByRole("dialog", { name: "Search and commands" });
  for (const close of ["Escape", "Control+k", "Meta+k"]) {
    const button = page.getByRole("button", { name: /^Search/ });
    await button.click();
    await dialog.waitFor();
    expect(await eventually(() => isFocused(input(page)), true)).toBe(true);
    await page.keyboard.press(close);
    await dialog.waitFor({ state: "detached" });
    expect(await eventually(() => isFocused(button), true)).toBe(true);
  }
  await page.keyboard.press("Meta+k");
  await dialog.waitFor();
  // In one task, before the browser reports that the dialog was closed.
  await page.evaluate(`for (let i = 0; i < 2; i += 1)
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true, cancelable: true }))`);
  await page.waitForTimeout(200);
  expect(await dialog.isVisible()).toBe(true);
});

test("accounts are found by name and external id, contacts by name and part of an address, and Enter opens them", async ({
  page,
  open,
  idle,
}) => {
  const id = await createAccount({ name: "Palette works", externalId: "find-me-77" });
  await server().request("POST", `accounts/${id}/contacts`, {
    name: "Grace Finder",
    email: "grace@finder.example",
  });
  await open("/console");
  for (const [text, label] of [
    ["palette wo", "Palette works"],
    ["me-77", "Palette works"],
    ["ace fin", "Grace Finder"],
    ["grace@fin", "Grace Finder"],
  ] as const) {
    await search(page, text);
    await options(page).getByText(label).waitFor();
    expect(await active(page).textContent()).toBe(label);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Palette works", level: 1 }).waitFor();
    expect(path(page)).toBe(`/console/accounts/${id}`);
    expect(await eventually(() => page.evaluate<string>("document.activeElement.id"), "main")).toBe("main");
    await page.goBack();
    await idle();
  }
});

test("the arrows choose an option around the ends, which the combobox refers to", async ({ page, open }) => {
  await open("/console");
  await page.keyboard.press("Control+k");
  expect(await active(page).textContent()).toBe("Overview");
  await page.keyboard.press("ArrowDown");
  expect(await active(page).textContent()).toBe("Accounts");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  expect(await active(page).textContent()).toBe("Sign out");
  const id = await page.locator("[role=option][aria-selected=true]").getAttribute("id");
  expect(await input(page).getAttribute("aria-activedescendant")).toBe(id);
  expect(await input(page).getAttribute("aria-expanded")).toBe("true");
  await input(page).fill("no such thing");
  await page.getByText("Nothing matches “no such thing”.").waitFor();
  expect(await input(page).getAttribute("aria-expanded")).toBe("false");
});

test("pages and actions are run, and a table shows all that was found", async ({ page, open, idle }) => {
  await open("/console");
  await search(page, "meet");
  await page.keyboard.press("Enter");
  await idle();
  expect(path(page)).toBe("/console/meetings");
  await search(page, "theme: dark");
  await page.keyboard.press("Enter");
  expect(await page.evaluate<string>("document.documentElement.dataset.theme")).toBe("dark");
  await search(page, "inc");
  await options(page).getByText("All accounts with “inc”").click();
  await idle();
  expect(path(page)).toBe("/console/accounts?search=inc");
  await search(page, "sign out");
  await page.keyboard.press("Enter");
  await page.locator("input[name=key]").waitFor();
});

test("New account opens its dialog, for keys with the scope write only", async ({ page, open, idle }) => {
  await open("/console/meetings");
  await page.mouse.wheel(0, 300);
  await search(page, "new acc");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Create account" });
  await dialog.getByLabel("Name", { exact: true }).fill("Made by the palette");
  await dialog.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("heading", { name: "Made by the palette", level: 1 }).waitFor();
  await idle();
  const place = () => page.evaluate<unknown>("[scrollY, document.activeElement.id]");
  expect(await eventually(place, [0, "main"])).toEqual([0, "main"]);
  const key = await server().createKey("Palette reader", ["read"]);
  await visit({ key }, async ({ page, open }) => {
    await open("/console");
    await search(page, "new acc");
    await page.getByText("Nothing matches “new acc”.").waitFor();
  });
});

test("an account that is created after its dialog was discarded is not opened", async ({
  page,
  context,
  open,
  idle,
}) => {
  const held = Promise.withResolvers<Route>();
  await context.route(/\/api\/v1\/accounts$/, (route) => held.resolve(route));
  await open("/console/meetings");
  await search(page, "new acc");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Create account" });
  await dialog.getByLabel("Name", { exact: true }).fill("Discarded late");
  await dialog.getByRole("button", { name: "Create account" }).click();
  const route = await held.promise;
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("link", { name: "Contacts" }).click();
  await page.getByRole("heading", { name: "Contacts", level: 1 }).waitFor();
  await route.continue();
  await page.getByText("Saved", { exact: true }).waitFor();
  await idle();
  expect(path(page)).toBe("/console/contacts");
});

test(
  "a sign-out that fails is shown, also one of the palette",
  async ({ page, context, open }) => {
    await open("/console");
    await context.route(/\/console\/session$/, (route) => route.fulfill({ status: 503 }));
    await search(page, "sign out");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "You are still signed in" });
    await dialog.getByRole("alert").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  },
  { expected: [/^503 DELETE \/console\/session$/] },
);

test("the result of an older text is never shown after a newer one", async ({ page, context, open }) => {
  const held = Promise.withResolvers<Route>();
  await context.route(/\/api\/v1\/accounts\?.*search=tesl&/, (route) => held.resolve(route));
  await open("/console");
  await search(page, "tesl");
  const route = await held.promise;
  expect(await status(page).textContent()).toBe("Searching…");
  await input(page).fill("apple");
  await options(page).getByText("Apple Inc.").waitFor();
  await route.continue().catch(() => {});
  await Bun.sleep(300);
  expect(await options(page).getByText("Tesla").count()).toBe(0);
  // Entries of the text before are gone as soon as another one is typed.
  await input(page).fill("applx");
  expect(await options(page).getByText("Apple Inc.").count()).toBe(0);
});

test(
  "a failure of the contacts is named and can be tried again, and the accounts are shown",
  async ({ page, context, open }) => {
    await context.route(/\/api\/v1\/contacts\?/, (route) => route.fulfill({ status: 500, body: "{}" }));
    await open("/console");
    await search(page, "apple");
    await page.getByText("The contacts could not be searched.").waitFor({ timeout: 15_000 });
    await options(page).getByText("Apple Inc.").waitFor();
    expect(await page.getByText("Nothing matches").count()).toBe(0);
    await context.unrouteAll();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("The contacts could not be searched.").waitFor({ state: "detached" });
  },
  { expected: [/^500 GET \/api\/v1\/contacts$/] },
);

test("a key without the scope read has its pages and actions, and searches nothing", async () => {
  const key = await server().createKey("Admin", ["admin"]);
  await visit({ key }, async ({ page, open }) => {
    await open("/console/keys");
    await search(page, "keys");
    expect(await options(page).allInnerTexts()).toEqual(["Keys"]);
  });
});

test("names with markup are texts in the palette", async ({ page, open }) => {
  const id = await createAccount({ name: "<img src=x onerror=alert(1)> markup" });
  await server().request("POST", `accounts/${id}/contacts`, { name: "<b>markup</b> person" });
  await open("/console");
  await search(page, "markup");
  await options(page).getByText("<b>markup</b> person").waitFor();
  expect(await page.locator(".palette img, .palette b").count()).toBe(0);
});
