import { beforeAll, expect } from "bun:test";
import type { Page, Route } from "playwright-core";
import { seriousFindings } from "./axe.ts";
import { dialogOf, eventually, shownText } from "./page-text.ts";
import { consoleSuite } from "./suite.ts";

const { createAccount, server, test, visit } = consoleSuite();

const ids: number[] = [];
beforeAll(async () => {
  for (const name of ["Bulk A", "Bulk B", "Bulk C", "Bulk D"])
    ids.push(await createAccount({ name, attributes: { plan: name === "Bulk A" ? "pro" : "team" } }));
});
const read = (id: number | undefined) =>
  server().request<{ status: string; attributes: object }>("GET", `accounts/${id}?include=status,attributes`);

async function select(page: Page, ...names: string[]): Promise<void> {
  for (const name of names) await page.getByRole("checkbox", { name: `Select ${name}`, exact: true }).check();
}

test("selected rows get another status and attribute, after a dry run says what will change", async ({
  page,
  open,
  idle,
}) => {
  await open("/console/accounts?search=Bulk");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await select(page, "Bulk B");
  const status = page.locator(".pager [role=status]");
  expect(await shownText(status)).toBe("2 selected");
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  const dialog = dialogOf(page, "Edit 2 accounts");
  await dialog.getByRole("button", { name: "Review changes" }).click();
  await dialog.getByRole("alert").getByText("Choose a status or an attribute.").waitFor();
  await dialog.getByLabel("Attribute").selectOption({ label: "Plan" });
  await dialog.getByLabel("Value").fill("pro");
  await page.keyboard.press("Enter");
  await dialog.getByText("1 account will be changed.").waitFor();
  await dialog.getByText("Plan becomes pro.").waitFor();
  await dialog.getByText("1 account already has these values.").waitFor();
  expect(await dialog.getByRole("listitem").allTextContents()).toEqual(["Bulk B"]);
  expect(await seriousFindings(page)).toEqual([]);
  expect((await read(ids[1])).attributes).toEqual({ plan: "team" });
  await dialog.getByRole("button", { name: "Edit 1 account" }).click();
  await dialog.waitFor({ state: "detached" });
  await idle();
  expect((await read(ids[1])).attributes).toEqual({ plan: "pro" });
  expect(await shownText(status)).toBe("1 account was changed.");
  expect(await page.locator("tbody input:checked").count()).toBe(0);
  // The button that had the focus is gone.
  const focused = () => page.evaluate<string>("document.activeElement.getAttribute('aria-label')");
  expect(await eventually(focused, "Table of accounts")).toBe("Table of accounts");
});

test("accounts that have the values already are counted so, also if they changed since the table was loaded", async ({
  page,
  open,
}) => {
  await open("/console/accounts?search=Bulk");
  await select(page, "Bulk A", "Bulk B");
  await server().request("PATCH", `accounts/${ids[0]}`, { mrr: 5 });
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  const dialog = dialogOf(page, "Edit 2 accounts");
  await dialog.getByLabel("Status").selectOption("Active");
  await dialog.getByRole("button", { name: "Review changes" }).click();
  await dialog.getByText("2 accounts already have these values.").waitFor();
});

test("the heading selects the rows of the page, and another view selects none", async ({
  page,
  open,
  idle,
}) => {
  await open("/console/accounts?search=Bulk");
  await page.getByRole("checkbox", { name: "Select all accounts of this page" }).check();
  expect(await page.locator("tbody input:checked").count()).toBe(4);
  await page.getByRole("columnheader", { name: "MRR" }).getByRole("button").click();
  await idle();
  expect(await page.locator("tbody input:checked").count()).toBe(0);
});

test("selected accounts are deleted after a dry run, and what fails is listed", async ({
  page,
  open,
  idle,
}) => {
  await open("/console/accounts?search=Bulk");
  await select(page, "Bulk C", "Bulk D");
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  const dialog = dialogOf(page, "Delete 2 accounts");
  await dialog.getByText(/^2 accounts will be deleted with their contacts/).waitFor();
  expect((await read(ids[2])).status).toBe("active");
  // Deleted by somebody else meanwhile.
  await server().request("DELETE", `accounts/${ids[3]}`);
  await dialog.getByRole("button", { name: "Delete 2 accounts" }).click();
  await dialog.getByText("1 account was deleted.").waitFor();
  await dialog.getByText("1 account could not be changed:").waitFor();
  expect(await dialog.getByRole("listitem").allTextContents()).toEqual([expect.stringMatching(/^Bulk D: /)]);
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await idle();
  expect(await page.locator("tbody th a").allTextContents()).toEqual(["Bulk A", "Bulk B"]);
});

test("a deletion that ends after its dialog was closed is shown, and keys have no effect behind it", async ({
  page,
  context,
  open,
  idle,
}) => {
  const names = ["Late A", "Late B"];
  const late = await Promise.all(names.map((name) => createAccount({ name })));
  await open("/console/accounts?search=a");
  await page.getByRole("button", { name: "Next" }).waitFor();
  const address = page.url();
  const heldReply = Promise.withResolvers<void>();
  await context.route(/api\/v1\/batch$/, async (route) => {
    await heldReply.promise;
    await route.continue();
  });
  for (const search of ["a", "Late"]) {
    await open(`/console/accounts?search=${search}`);
    if (search === "Late") await select(page, ...names);
    else await page.locator("tbody .select input").first().check();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    const dialog = page.getByRole("dialog");
    const submit = dialog.getByRole("button", { name: /^Delete \d/ });
    await submit.waitFor();
    if (search === "Late") await server().request("DELETE", `accounts/${late[1]}`);
    if (search === "Late") await submit.click();
    // Where the focus is while the button is disabled.
    await page.evaluate("document.activeElement.blur()");
    if (search === "a") {
      await page.keyboard.press("n");
      expect(page.url()).toBe(address);
    }
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  }
  heldReply.resolve();
  await page.getByText("No account matches").waitFor();
  await page.getByText("1 account was deleted.").waitFor();
  await idle();
});

test("an edit that ends after its dialog was closed keeps the selection, and another dialog open", async ({
  page,
  context,
  open,
  idle,
}) => {
  for (const name of ["Closed A", "Closed B"]) await createAccount({ name });
  await open("/console/accounts?search=Closed");
  await select(page, "Closed A");
  const edit = page.getByRole("button", { name: "Edit", exact: true });
  await edit.click();
  await page.getByLabel("Status").last().selectOption("churned");
  await page.getByRole("button", { name: "Review changes" }).click();
  const submit = page.getByRole("button", { name: "Edit 1 account" });
  await submit.waitFor();
  const held = Promise.withResolvers<Route>();
  await context.route(/api\/v1\/batch$/, (route) => held.resolve(route));
  await submit.click();
  const route = await held.promise;
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("checkbox", { name: "Select Closed A" }).uncheck();
  await select(page, "Closed B");
  await edit.click();
  await route.continue();
  await page.locator(".saved-note").getByText("1 account was changed.").waitFor();
  await idle();
  expect(await dialogOf(page, "Edit 1 account").isVisible()).toBe(true);
});

test("a key that can only read has no selection", async () => {
  const key = await server().createKey("Reader", ["read"]);
  await visit({ key }, async ({ page, open }) => {
    await open("/console/accounts?search=Bulk");
    expect(await page.getByRole("checkbox", { name: /^Select/ }).count()).toBe(0);
    expect(await page.locator(".pager").textContent()).not.toContain("select");
  });
});

for (const width of [390, 1280])
  test(
    `the table with a selection is accessible and fits into ${width} px`,
    async ({ page, open }) => {
      await open("/console/accounts?status=active");
      await page.locator("tbody .select input").nth(1).check();
      expect(await seriousFindings(page)).toEqual([]);
      expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(width);
      const [inner, outer] = await page
        .locator(".accounts .scroll")
        .evaluate((area) => [area.scrollWidth, area.clientWidth] as const);
      expect(inner).toBe(outer);
    },
    { width },
  );
