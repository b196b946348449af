import { beforeAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { seriousFindings } from "./axe.ts";
import { shownText } from "./page-text.ts";
import { addSamples, dialogs, places } from "./places.ts";
import { consoleSuite } from "./suite.ts";

const { server, test, visit } = consoleSuite();
beforeAll(() => addSamples(server()));

const heading = (page: Page) => shownText(page.getByRole("heading", { level: 1 }).first());
const links = (page: Page) => page.getByRole("navigation", { name: "Pages" }).getByRole("link");
const settings = (page: Page) => page.getByRole("navigation", { name: "Settings" }).getByRole("link");
const openMenu = (page: Page) => page.locator(".menu summary").click();
/** The link of a page, after its menu was opened. */
async function linkTo(page: Page, name: string) {
  const isSetting = settingNames.includes(name);
  if (isSetting) await openMenu(page);
  return (isSetting ? settings(page) : links(page)).getByText(name, { exact: true });
}
const names = ["Overview", "Accounts", "Contacts", "Meetings", "Requests", "Pending events", "Import"];
const settingNames = ["Health score", "Keys", "Webhooks", "Organization", "API reference"];
/** By how many pixels the document is wider than the window. */
const overflow = (page: Page) =>
  page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");

test("each page is reached by the navigation, which marks it, and survives a reload", async ({
  page,
  open,
  idle,
}) => {
  await open("/console");
  for (const place of places) {
    if (place.name === "account") await open(place.path);
    else await (await linkTo(page, place.link)).click();
    await idle();
    for (const isReloaded of [false, true]) {
      if (isReloaded) await page.reload();
      await idle();
      expect(new URL(page.url()).pathname).toBe(place.path);
      expect(await heading(page)).toBe(place.heading);
      expect(await page.title()).toBe(`${place.heading} – accountd`);
      const current = page.locator('header nav [aria-current="page"]');
      expect(await current.allTextContents()).toEqual([place.link]);
    }
  }
  expect(await links(page).allInnerTexts()).toEqual(names);
  await openMenu(page);
  expect(await settings(page).allInnerTexts()).toEqual(settingNames);
});

test("the tabs stay where they are on every page, and the menu closes after a choice", async ({
  page,
  open,
  idle,
}) => {
  await open("/console");
  const lefts = () =>
    page.evaluate<number[]>(
      "[...document.querySelectorAll('nav[aria-label=Pages] a')].map((link) => link.getBoundingClientRect().left)",
    );
  const before = await lefts();
  for (const name of names.slice(1)) {
    await links(page).getByText(name, { exact: true }).click();
    await idle();
    expect(await lefts()).toEqual(before);
  }
  await (await linkTo(page, "Keys")).click();
  await idle();
  expect(await settings(page).count()).toBe(0);
});

const isNavigationCut = `(() => {
  const navigation = document.querySelector("nav[aria-label=Pages]");
  return navigation.scrollWidth > navigation.clientWidth || navigation.scrollHeight > navigation.clientHeight;
})()`;

test("every page is in sight in the navigation at 390 and 360 px", async ({ page, open }) => {
  for (const width of [390, 360]) {
    await page.setViewportSize({ width, height: 740 });
    await open("/console");
    const boxes = await Promise.all((await links(page).all()).map((link) => link.boundingBox()));
    expect(boxes).toHaveLength(7);
    for (const box of boxes) {
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
    }
    expect(await page.evaluate<boolean>(isNavigationCut)).toBe(false);
    for (const name of settingNames) {
      await (await linkTo(page, name)).click({ trial: true });
      await page.keyboard.press("Escape");
    }
    await page.getByRole("button", { name: /^Search/ }).click({ trial: true });
  }
});

test(
  "an address without a page says so, with the navigation and a link",
  async ({ page, open, idle }) => {
    for (const path of ["/console/nope", "/console/accounts/none", "/console/accounts/5/more"]) {
      await open(path);
      expect(await heading(page)).toBe("Page not found");
      expect(await links(page).count()).toBe(7);
    }
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("link", { name: "Show the overview" }).click();
    await idle();
    expect(await heading(page)).toBe("Overview");
  },
  { expected: [/^404 GET \/console\/nope$/, /^404 GET \/console\/accounts\/5\/more$/] },
);

test("a read key has no page and no button that writes", async () => {
  const key = await server().createKey("Reader", ["read"]);
  await visit({ key }, async ({ page, open }) => {
    await open("/console");
    expect(await links(page).allInnerTexts()).toEqual(names.filter((name) => name !== "Import"));
    await openMenu(page);
    expect(await settings(page).allInnerTexts()).toEqual(["Health score", "API reference"]);
    const writing = /^(create|new|edit|delete|link|import|revoke|save|add)\b/i;
    for (const path of [
      "/console",
      "/console/accounts",
      "/console/accounts/5",
      "/console/contacts",
      "/console/meetings",
      "/console/requests",
      "/console/unmatched",
    ]) {
      await open(path);
      const buttons = await page.locator("main").getByRole("button").allInnerTexts();
      expect(buttons.filter((text) => writing.test(text))).toEqual([]);
      expect(
        await page
          .locator("main")
          .getByRole("link", { name: /import/i })
          .count(),
      ).toBe(0);
    }
    for (const [path, scope] of [
      ["/console/import", "write"],
      ["/console/keys", "admin"],
      ["/console/webhooks", "admin"],
      ["/console/organization", "admin"],
    ]) {
      await open(path ?? "");
      await page.getByText(`This page needs a key with the scope ${scope}.`).waitFor();
      expect(await page.locator("main").locator("button, input").count()).toBe(0);
    }
  });
});

test("the keyboard skips to the content, and the focus follows the page", async ({ page, open, idle }) => {
  await open("/console");
  await page.keyboard.press("Tab");
  const focused = () => page.evaluate<string>("document.activeElement.textContent");
  expect(await focused()).toBe("Skip to the content");
  await page.keyboard.press("Enter");
  expect(await page.evaluate<string>("document.activeElement.id")).toBe("main");
  await links(page).getByText("Accounts", { exact: true }).focus();
  await page.keyboard.press("Enter");
  await idle();
  expect(await heading(page)).toBe("Accounts");
  expect(await page.evaluate<string>("document.activeElement.id")).toBe("main");
});

test("a dialog takes the focus, is closed by Escape, and gives the focus back", async ({ page, open }) => {
  await open("/console/accounts/5");
  await page.getByRole("button", { name: "Edit account" }).focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).waitFor();
  expect(await page.evaluate<boolean>("!!document.activeElement.closest('dialog')")).toBe(true);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await Bun.sleep(50);
  expect(await page.evaluate<string>("document.activeElement.textContent")).toBe("Edit account");
});

test("the chosen theme is kept", async ({ page, open, idle }) => {
  await open("/console");
  const background = () =>
    page.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor");
  const light = await background();
  await page.locator(".menu summary").click();
  await page.getByLabel("Theme").selectOption("Dark");
  const dark = await background();
  expect(dark).not.toBe(light);
  await page.reload();
  await idle();
  expect(await background()).toBe(dark);
});

const narrow = { width: 360, height: 740 };

for (const { name, path } of places)
  test(`axe-core finds nothing serious on the page, which fits 360 px: ${name}`, async ({
    page,
    open,
    idle,
  }) => {
    await open(path);
    expect(await seriousFindings(page)).toEqual([]);
    await page.setViewportSize(narrow);
    await idle();
    expect(await overflow(page)).toBe(0);
  });

test(
  "axe-core finds nothing serious on the sign-in page, which fits 360 px",
  async ({ page, open }) => {
    await open("/console");
    expect(await seriousFindings(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
  },
  { key: null, ...narrow },
);

for (const { name, path, show } of dialogs)
  test(
    `axe-core finds nothing serious in the dialog, which fits 360 px: ${name}`,
    async ({ page, open, idle }) => {
      await open(path);
      await show(page);
      await idle();
      expect(await seriousFindings(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
    },
    narrow,
  );
