import { expect } from "bun:test";
import { seriousFindings } from "./axe.ts";
import { shownText } from "./page-text.ts";
import { consoleSuite } from "./suite.ts";

const { server, createAccount, test } = consoleSuite();
const stored = () => server().request("GET", "organization");
const formats = { currency: "EUR", numberFormat: "de-DE" };

test("an administrator sets currency and number format, in which amounts and numbers are shown at once", async ({
  page,
  open,
  idle,
}) => {
  const id = await createAccount({ name: "Paid", mrr: 1234.5 });
  await open("/console/organization");
  await page.getByRole("combobox", { name: "Currency of MRR" }).selectOption({ label: "EUR – Euro" });
  await page
    .getByRole("combobox", { name: "Number format" })
    .selectOption({ label: "German (Germany): 1.234.567,50" });
  expect(await shownText(page.locator("output"))).toBe("1.234.567,50\u00a0€");
  expect(await stored()).toMatchObject({ currency: null, numberFormat: null });
  await page.getByRole("button", { name: "Save" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("Saved", { exact: true }).waitFor();
  expect(await stored()).toMatchObject(formats);
  expect(await page.evaluate<string>("document.activeElement.textContent")).toBe("Save");
  expect(await seriousFindings(page)).toEqual([]);
  // A page of the console without another load of its document, and one with.
  await page.locator("header.top nav a").getByText("Accounts", { exact: true }).click();
  await idle();
  expect(await page.locator("tbody td.number").first().textContent()).toMatch(/^[\d.]+\u00a0€$/);
  await open(`/console/accounts/${id}`);
  const mrr = page.locator("dt", { hasText: /^MRR$/ }).locator("+ dd");
  expect(await shownText(mrr)).toBe("1.234,50\u00a0€");
  await server().request("PATCH", "organization", { currency: null, numberFormat: null });
});

test("a number format that a program has set is kept and can be removed", async ({ page, open }) => {
  await server().request("PATCH", "organization", { ...formats, numberFormat: "da-DK" });
  await open("/console/organization");
  const format = page.getByRole("combobox", { name: "Number format" });
  expect(await format.locator("option:checked").textContent()).toBe("Danish (Denmark): 1.234.567,50");
  await format.selectOption({ label: "As in each person's browser: 1,234,567.50 here" });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  expect(await stored()).toMatchObject({ currency: "EUR", numberFormat: null });
  await server().request("PATCH", "organization", { currency: null });
});
