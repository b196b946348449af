import { expect } from "bun:test";
import type { Route } from "playwright-core";
import { seriousFindings } from "./axe.ts";
import { card, dialogOf, save, shownText } from "./page-text.ts";
import { consoleSuite } from "./suite.ts";

const { server, createAccount, test } = consoleSuite();

test("a dialog with edited inputs asks before Escape, Cancel or × closes it", async ({ page, open }) => {
  const id = await createAccount({ name: "Typed text" });
  await open(`/console/accounts/${id}`);
  await page.getByRole("button", { name: "Edit account" }).click();
  const dialog = dialogOf(page, "Edit account");
  const question = dialogOf(page, "Discard what you typed?");
  await dialog.getByLabel("MRR").fill("5");
  const ways = [
    () => page.keyboard.press("Escape"),
    () => dialog.getByRole("button", { name: "Cancel" }).click(),
    () => dialog.getByRole("button", { name: "Close" }).click(),
  ];
  for (const close of ways) {
    await close();
    expect(await seriousFindings(page)).toEqual([]);
    await question.getByRole("button", { name: "Keep editing" }).press("Enter");
    await question.waitFor({ state: "detached" });
    expect(await dialog.getByLabel("MRR").inputValue()).toBe("5");
  }
  // As Back of a phone does.
  await page.evaluate("document.querySelector('dialog').requestClose()");
  await question.getByRole("button", { name: "Keep editing" }).click();
  await question.waitFor({ state: "detached" });
  // Twice without a click between: the browser lets a page decline its own request to close only once.
  for (const _ of ways) {
    await page.keyboard.press("Escape");
    await question.waitFor();
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
    expect(await dialog.isVisible()).toBe(true);
  }
  await page.keyboard.press("Escape");
  await question.getByRole("button", { name: "Discard" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await server().request<object>("GET", `accounts/${id}`)).toMatchObject({ mrr: 0 });
});

test("Back asks before it leaves a dialog with edited inputs", async ({ page, open }) => {
  await open("/console/contacts");
  await page.getByRole("link", { name: "Accounts", exact: true }).click();
  await page.getByRole("button", { name: "Create account" }).click();
  const dialog = dialogOf(page, "Create account");
  const question = dialogOf(page, "Discard what you typed?");
  await dialog.getByLabel("Name", { exact: true }).fill("Kept by Back");
  // The dialog registers its question in an effect, which a person cannot overtake.
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100)))");
  await page.evaluate("history.back()");
  await question.getByRole("button", { name: "Keep editing" }).click();
  await question.waitFor({ state: "detached" });
  expect(new URL(page.url()).pathname).toBe("/console/accounts");
  expect(await dialog.getByLabel("Name", { exact: true }).inputValue()).toBe("Kept by Back");
  await page.evaluate("history.back()");
  await question.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("heading", { name: "Contacts", level: 1 }).waitFor();
  // Without the dialog there is no question.
  await page.evaluate("history.forward()");
  await page.getByRole("heading", { name: "Accounts", level: 1 }).waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
});

test("a dialog without an edit closes by Escape", async ({ page, open }) => {
  const id = await createAccount({ name: "Only read" });
  await open(`/console/accounts/${id}`);
  await page.getByRole("button", { name: "Edit account" }).click();
  await dialogOf(page, "Edit account").getByLabel("MRR").waitFor();
  await page.keyboard.press("Escape");
  await dialogOf(page, "Edit account").waitFor({ state: "detached" });
});

test("an edit that ends after its dialog was discarded leaves another dialog open", async ({
  page,
  context,
  open,
  idle,
}) => {
  const id = await createAccount({ name: "Edited late" });
  await open(`/console/accounts/${id}`);
  const held = Promise.withResolvers<Route>();
  await context.route(/\/api\/v1\/accounts\/\d+$/, (route) => {
    if (route.request().method() === "PATCH") held.resolve(route);
    else void route.continue();
  });
  await page.getByRole("button", { name: "Edit account" }).click();
  await dialogOf(page, "Edit account").getByLabel("MRR").fill("8");
  await save(dialogOf(page, "Edit account"));
  const route = await held.promise;
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("button", { name: "Log a contact" }).click();
  await page.getByRole("dialog").getByLabel("Title").fill("Call");
  await route.continue();
  await page.locator(".saved-note").getByText("Saved", { exact: true }).waitFor();
  await idle();
  expect(await page.getByRole("dialog").getByLabel("Title").inputValue()).toBe("Call");
});

test("each save is followed by a note, which goes away", async ({ page, open }) => {
  const id = await createAccount({ name: "Noted" });
  await open(`/console/accounts/${id}`);
  const note = page.locator(".saved-note");
  expect(await note.getAttribute("role")).toBe("status");
  await page.getByRole("button", { name: "Edit account" }).click();
  await dialogOf(page, "Edit account").getByLabel("MRR").fill("7");
  await save(dialogOf(page, "Edit account"));
  await note.getByText("Saved", { exact: true }).waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await note.getByText("Saved", { exact: true }).waitFor({ state: "detached" });
  await card(page, "Contacts").getByRole("button", { name: "New contact" }).click();
  await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("Ada");
  await page.getByRole("button", { name: "Create contact" }).click();
  await note.getByText("Saved", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Delete Ada" }).click();
  await page.getByRole("button", { name: "Delete contact" }).click();
  await note.getByText("Deleted", { exact: true }).waitFor();
});

test("the end of a meeting is proposed from its start until another one is entered", async ({
  page,
  open,
}) => {
  const id = await createAccount({ name: "Scheduled" });
  await open(`/console/accounts/${id}`);
  await page.getByRole("button", { name: "New meeting" }).click();
  const dialog = dialogOf(page, "New meeting");
  const end = dialog.getByLabel("End");
  for (const [start, proposed] of [
    ["2026-03-04T10:00", "2026-03-04T10:30"],
    ["2026-03-05T23:45", "2026-03-06T00:15"],
  ] as const) {
    await dialog.getByLabel("Start").fill(start);
    expect(await end.inputValue()).toBe(proposed);
  }
  await end.fill("2026-03-06T02:00");
  await dialog.getByLabel("Start").fill("2026-03-05T09:00");
  expect(await end.inputValue()).toBe("2026-03-06T02:00");
});

test("the attributes open with the focus on the first value, or on the name of a first attribute", async ({
  page,
  open,
}) => {
  for (const [attributes, focused] of [
    [{}, "attribute-name"],
    [{ plan: "gold" }, "attribute-value"],
  ] as const) {
    const id = await createAccount({ name: "Focused", attributes });
    await open(`/console/accounts/${id}`);
    await page.getByRole("button", { name: "Edit attributes" }).click();
    await dialogOf(page, "Edit attributes").getByLabel("Value of attribute 1").waitFor();
    // The dialog is visible a moment before its effects have run.
    await page.waitForFunction(`document.activeElement.name === "${focused}"`);
    expect(await shownText(dialogOf(page, "Edit attributes"))).toContain("Add attribute");
  }
});
