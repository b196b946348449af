import { expect } from "bun:test";
import { eventually, shownText } from "./page-text.ts";
import { consoleSuite } from "./suite.ts";

const { server, test, visit } = consoleSuite();

/** Whether the API accepts a key. */
const isAccepted = async (key: string) => (await server().send("GET", "accounts", undefined, key)).ok;

test("a new key is shown once, works, and is in the list without its secret", async ({
  page,
  open,
  idle,
}) => {
  await open("/console");
  await page.locator(".menu summary").click();
  await page.getByRole("link", { name: "Keys" }).click();
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog", { name: "Create key" });
  await dialog.getByLabel("Name").fill("Reports");
  await dialog.getByLabel("Requests per minute").fill("600");
  await dialog.getByLabel("Expires").selectOption("30");
  await dialog.getByRole("button", { name: "Create key" }).click();
  const shown = page.getByRole("dialog", { name: "Key Reports" });
  const secret = await shown.getByLabel("Key", { exact: true }).inputValue();
  expect(secret).toMatch(/^ak_[A-Za-z0-9]{36}$/);
  expect(await isAccepted(secret)).toBe(true);
  // Only Done closes the dialog.
  for (let i = 0; i < 3; i += 1) await page.keyboard.press("Escape");
  await page.mouse.click(5, 5);
  await page.keyboard.press("Escape");
  await page.evaluate("document.querySelector('dialog').requestClose()");
  await page.evaluate("history.back()");
  await page.waitForTimeout(300);
  expect(new URL(page.url()).pathname).toBe("/console/keys");
  expect(await shown.getByRole("button").allInnerTexts()).toEqual(["Copy", "Done"]);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await shown.getByRole("button", { name: "Copy" }).click();
  await shown.getByRole("status").getByText("Copied").waitFor();
  expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(secret);
  await shown.getByRole("button", { name: "Done" }).click();
  await shown.waitFor({ state: "detached" });
  await idle();
  // Where it was before the two dialogs.
  const focused = () => page.evaluate<string>("document.activeElement.textContent");
  expect(await eventually(focused, "Create key")).toBe("Create key");
  const row = page.getByRole("row").filter({ hasText: "Reports" });
  const text = await shownText(row);
  expect(text).toContain(`…${secret.slice(-4)}`);
  expect(text).toContain("600");
  expect(text).toContain("read");
  await page.reload();
  await idle();
  expect(await page.content()).not.toContain(secret);
});

test("a revoked key stops working at once and stays in the list", async ({ page, open, idle }) => {
  const key = await server().createKey("Short-lived", ["read"]);
  await open("/console/keys");
  await page.getByRole("button", { name: /^Revoke Short-lived/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke key" }).click();
  await idle();
  expect(await isAccepted(key)).toBe(false);
  const row = page.getByRole("row").filter({ hasText: "Short-lived" });
  expect(await shownText(row)).toContain("Revoked");
  expect(await row.getByRole("button").count()).toBe(0);
});

test("revoking the key of the session says so, and shows the sign-in page", async () => {
  const key = await server().createKey("Own", ["read", "admin"]);
  await visit({ key, expected: [/^401 GET \/api\/v1\/keys$/] }, async ({ page, open }) => {
    await open("/console/keys");
    await page.getByText("This session").waitFor();
    await page.getByRole("button", { name: /^Revoke Own/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("revoking it signs you out").waitFor();
    await dialog.getByRole("button", { name: "Revoke key" }).click();
    await page.locator("input[name=key]").waitFor();
  });
});

test("a key can give only the scopes that it has", async () => {
  const key = await server().createKey("Manager", ["read", "admin"]);
  await visit({ key }, async ({ page, open }) => {
    await open("/console/keys");
    await page.getByRole("button", { name: "Create key" }).click();
    expect(await page.getByRole("dialog").locator("fieldset code").allInnerTexts()).toEqual([
      "read",
      "admin",
    ]);
  });
});
