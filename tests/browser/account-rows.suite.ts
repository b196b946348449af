import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { accountTable } from "./account-table.ts";
import { eventually, shownText } from "./page-text.ts";
import { consoleSuite } from "./suite.ts";

const { server, test } = consoleSuite();
const { namesOf, expectView, openBox } = accountTable(server);

const place = (page: Page) =>
  page.evaluate<[number, string | null]>(
    "[Math.round(scrollY), document.activeElement.getAttribute('href')]",
  );
const heading = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 }).waitFor();

test("Back shows the table at the same place, with the focus on the row that was opened", async ({
  page,
  open,
  idle,
}) => {
  await open("/console/accounts?status=active");
  const row = page.locator("tbody tr").nth(30);
  const name = (await row.locator("th a").textContent()) ?? "";
  await row.scrollIntoViewIfNeeded();
  await page.mouse.wheel(0, 150);
  const href = await row.locator("th a").getAttribute("href");
  await row.locator("td").nth(1).click();
  await heading(page, name);
  await idle();
  expect(await place(page)).toEqual([0, null]);
  await page.goBack();
  await idle();
  await page.waitForFunction("scrollY > 300 && document.activeElement.getAttribute('href')");
  const back = await place(page);
  expect(back[0]).toBeGreaterThan(300);
  expect(back[1]).toBe(href);
  expect(await row.locator("th a").textContent()).toBe(name);
  // By the keyboard, and forth and back again.
  await page.keyboard.press("j");
  const next = await place(page);
  await page.keyboard.press("Enter");
  await idle();
  await page.goBack();
  await idle();
  expect(await place(page)).toEqual(next);
  await page.goForward();
  await idle();
  await page.goBack();
  await idle();
  expect(await place(page)).toEqual(next);
});

test("a click anywhere in a row opens the account, and its text can be selected", async ({ page, open }) => {
  await open("/console/accounts");
  const row = page.locator("tbody tr").nth(2);
  const name = (await row.locator("th a").textContent()) ?? "";
  const cell = row.locator("td").nth(1);
  const box = await cell.boundingBox();
  if (!box) throw new Error("no cell");
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + 2, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 2, y, { steps: 4 });
  await page.mouse.up();
  expect(await page.evaluate<string>("getSelection().toString()")).not.toBe("");
  expect(new URL(page.url()).pathname).toBe("/console/accounts");
  await page.mouse.click(5, 5);
  await cell.click();
  await heading(page, name);
});

test("Ctrl and the middle button open the account of a row in another tab", async ({
  page,
  open,
  context,
}) => {
  await open("/console/accounts");
  const row = page.locator("tbody tr").nth(2);
  const href = await row.locator("th a").getAttribute("href");
  for (const options of [{ modifiers: ["Control" as const] }, { button: "middle" as const }]) {
    const [tab] = await Promise.all([context.waitForEvent("page"), row.locator("td").nth(1).click(options)]);
    await tab.waitForURL(`**${href}`);
    await tab.close();
  }
  expect(new URL(page.url()).pathname).toBe("/console/accounts");
});

test("the chosen columns are in the address: a link shows them to others", async ({
  page,
  open,
  idle,
  newPage,
}) => {
  await open("/console/accounts?status=active");
  const titles = (shown: Page) => shown.locator("thead th:not(.select)").allTextContents();
  await openBox(page, "Columns");
  for (const name of ["External id", "Created"]) await page.getByRole("checkbox", { name }).uncheck();
  const query = "?status=active&columns=status%2Cmrr%2ChealthScore%2CcontactActivityAt";
  expect(new URL(page.url()).search).toBe(query);
  const chosen = await titles(page);
  expect(chosen).toEqual(["Name↑", "Status", "MRR", "Health", "Last activity"]);
  const address = page.url();
  // The browser keeps them, and the address of the page has them.
  await open("/console/accounts");
  expect(await titles(page)).toEqual(chosen);
  expect(new URL(page.url()).search).toBe(query.replace("status=active&", ""));
  await openBox(page, "Columns");
  await page.getByRole("button", { name: "Reset" }).click();
  expect(new URL(page.url()).search).toBe("");
  await idle();
  const copy = await newPage();
  await copy.goto(address);
  expect(await eventually(() => titles(copy), chosen)).toEqual(chosen);
});

test("stored columns that are none are left out, and what the address has besides is named", async ({
  page,
  open,
}) => {
  await open("/console/accounts");
  const key = "Object.keys(localStorage).find((name) => name.startsWith('accountd-columns'))";
  await openBox(page, "Columns");
  await page.getByLabel("Created").click();
  await page.evaluate(`localStorage[${key}] = '["gone"]'`);
  await open("/console/accounts");
  const visits = await page.evaluate<number>(
    `new Promise((resolve) => {
      let count = 0;
      const replace = history.replaceState.bind(history);
      history.replaceState = (...words) => { count += 1; replace(...words); };
      setTimeout(() => resolve(count), 300);
    })`,
  );
  expect(visits).toBe(0);
  await page.getByRole("columnheader", { name: "MRR" }).waitFor();
  await page.evaluate(`localStorage[${key}] = '["mrr"]'`);
  await open("/console/accounts?colour=red");
  expect(new URL(page.url()).search).toBe("?colour=red&columns=mrr");
  await page.locator(".ignored-parameters").getByText("colour=red").waitFor();
});

test("a filtered table has the sum of its MRR, without cents and in the currency of the organization", async ({
  page,
  open,
}) => {
  await server().request("PATCH", "organization", { currency: "EUR" });
  await open("/console/accounts?status=active");
  const reply = await server().send("GET", "accounts?status=active&pageSize=1&include=totals");
  const { totals } = (await reply.json()) as { totals: { mrr: number } };
  const euros = new Intl.NumberFormat("en-US", {
    style: "currency",
    currency: "EUR",
    maximumFractionDigits: 0,
  });
  expect(await shownText(page.locator(".pager .sum"))).toBe(`Sum of MRR ${euros.format(totals.mrr)}`);
  expect(await page.locator("tbody td.number").first().textContent()).toMatch(/^€[\d,]+$/);
  await open("/console/accounts");
  expect(await page.locator(".pager .sum").count()).toBe(0);
  await server().request("PATCH", "organization", { currency: null });
});

test("active filters keep their width", async ({ page, open }) => {
  const widths = () =>
    page
      .locator(".popover > summary")
      .evaluateAll((boxes) => boxes.map((box) => box.getBoundingClientRect().width));
  await open("/console/accounts");
  const before = await widths();
  await open("/console/accounts?status=active&mrr.gte=1000");
  await expectView(page, "status=active&mrr.gte=1000");
  expect(await widths()).toEqual(before);
  expect(await namesOf(page)).not.toEqual([]);
});
