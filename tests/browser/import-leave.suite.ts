import { expect } from "bun:test";
import { maxRequestItems } from "../../src/shared/request-limits.ts";
import { drop, results } from "./import-page.ts";
import { eventually } from "./page-text.ts";
import { consoleSuite } from "./suite.ts";

const { server, test } = consoleSuite();

test("an import that is cancelled says what was stored", async ({ page, open }) => {
  const lines = Array.from({ length: 60_000 }, (_, i) => `cancel-${i},Cancelled ${i}`);
  await open("/console/import");
  await drop(page, "many.csv", ["externalId,name", ...lines].join("\n"));
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByRole("progressbar").waitFor();
  await eventually(async () => (await results(page)).length > 0, true);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("The import ended early.").waitFor();
  const [created] = await results(page);
  const count = Number(created?.replace(/\D/g, ""));
  const reply = await server().send("GET", "accounts?search=cancel-&page=1&pageSize=1");
  const { pagination } = (await reply.json()) as { pagination: { total: number } };
  expect(count).toBeGreaterThan(0);
  expect(count).toBeLessThan(lines.length);
  // A part whose reply was not awaited may be stored too.
  expect(pagination.total - count).toBeLessThanOrEqual(maxRequestItems);
});

test("an import asks before a link, Back or a sign-out leaves its page", async ({ page, open }) => {
  const lines = Array.from({ length: 40_000 }, (_, i) => `leave-${i},Left ${i}`);
  await open("/console/accounts");
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Import" }).click();
  await page.getByRole("heading", { name: "Import", level: 1 }).waitFor();
  await drop(page, "many.csv", ["externalId,name", ...lines].join("\n"));
  await page.getByRole("button", { name: "Dry run of all rows" }).click();
  await page.getByRole("progressbar").waitFor();
  const question = page.getByRole("dialog", { name: "Leave this page?" });
  for (const leave of [
    () => page.getByRole("link", { name: "Accounts" }).click(),
    () => page.goBack(),
    async () => {
      await page.locator(".menu summary").click();
      await page.getByRole("button", { name: "Sign out", exact: true }).click();
    },
  ]) {
    await leave();
    await question.getByText("A dry run is running. Leaving the page ends it.").waitFor();
    expect(new URL(page.url()).pathname).toBe("/console/import");
    await question.getByRole("button", { name: "Cancel" }).click();
    await question.waitFor({ state: "detached" });
    expect(await page.getByRole("progressbar").count()).toBe(1);
  }
  // The link of the page itself does not leave it.
  await page.getByRole("link", { name: "Import" }).click();
  expect(await question.count()).toBe(0);
  expect(await page.getByRole("progressbar").count()).toBe(1);
  await page.goBack();
  expect(await question.count()).toBe(0);
  await page.goBack();
  await question.getByRole("button", { name: "End the dry run and leave" }).click();
  await page.getByRole("heading", { name: "Accounts", level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/console/accounts");
});

test("the question before Back leaves the entries of the history as they are", async ({ page, open }) => {
  const lines = Array.from({ length: 40_000 }, (_, i) => `entry-${i},Entry ${i}`);
  const heading = (name: string) => page.getByRole("heading", { name, level: 1 }).waitFor();
  const link = (name: string) => page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name });
  const question = page.getByRole("dialog", { name: "Leave this page?" });
  await open("/console/accounts");
  // An entry without a page of its own.
  await page.locator("a.skip").press("Enter");
  for (const name of ["Import", "Contacts"]) {
    await link(name).click();
    await heading(name);
  }
  await page.goBack();
  await heading("Import");
  const entries = () => page.evaluate<number>("history.length");
  const before = await entries();
  await drop(page, "many.csv", ["externalId,name", ...lines].join("\n"));
  await page.getByRole("button", { name: "Dry run of all rows" }).click();
  await page.getByRole("progressbar").waitFor();
  await page.goBack();
  await question.getByRole("button", { name: "Cancel" }).click();
  await question.waitFor({ state: "detached" });
  // Contacts is still the next entry.
  await page.goForward();
  await question.waitFor();
  expect(new URL(page.url()).pathname).toBe("/console/import");
  await question.getByRole("button", { name: "Cancel" }).click();
  await question.waitFor({ state: "detached" });
  await page.goBack();
  await question.getByRole("button", { name: "End the dry run and leave" }).click();
  await heading("Accounts");
  expect(new URL(page.url()).hash).toBe("#main");
  expect(await entries()).toBe(before);
  await page.goForward();
  await heading("Import");
  await page.goForward();
  await heading("Contacts");
});

test("a page whose import has ended is left without a question", async ({ page, open }) => {
  await open("/console/import");
  await drop(page, "few.csv", "externalId,name\nended-1,Ended");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByText("The import is complete.").waitFor();
  await page.getByRole("link", { name: "Accounts" }).click();
  await page.getByRole("heading", { name: "Accounts", level: 1 }).waitFor();
});
