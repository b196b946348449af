import type { Page } from "playwright-core";
import type { Console } from "./server.ts";

/** Every page of the console, with its link in the navigation, or for settings in the menu. */
export const places = [
  { name: "overview", path: "/console", heading: "Overview", link: "Overview" },
  { name: "accounts", path: "/console/accounts", heading: "Accounts", link: "Accounts" },
  { name: "account", path: "/console/accounts/5", heading: "Tesla, Inc.", link: "Accounts" },
  { name: "contacts", path: "/console/contacts", heading: "Contacts", link: "Contacts" },
  { name: "meetings", path: "/console/meetings", heading: "Meetings", link: "Meetings" },
  { name: "requests", path: "/console/requests", heading: "Requests", link: "Requests" },
  { name: "unmatched", path: "/console/unmatched", heading: "Pending events", link: "Pending events" },
  { name: "import", path: "/console/import", heading: "Import", link: "Import" },
  { name: "health", path: "/console/health", heading: "Health score", link: "Health score" },
  { name: "keys", path: "/console/keys", heading: "Keys", link: "Keys" },
  { name: "webhooks", path: "/console/webhooks", heading: "Webhooks", link: "Webhooks" },
  { name: "organization", path: "/console/organization", heading: "Organization", link: "Organization" },
] as const;

/** Boxes and dialogs, each with the steps that open it. */
export const dialogs: readonly { name: string; path: string; show: (page: Page) => Promise<void> }[] = [
  { name: "the session's menu", path: "/console", show: (page) => page.locator(".menu summary").click() },
  { name: "palette", path: "/console", show: (page) => page.keyboard.press("Control+k") },
  { name: "found in the palette", path: "/console", show: findInPalette },
  { name: "filters", path: "/console/accounts", show: (page) => openBox(page, "Last activity") },
  { name: "columns", path: "/console/accounts", show: (page) => openBox(page, "Columns") },
  { name: "new account", path: "/console/accounts", show: (page) => press(page, "Create account") },
  { name: "edit account", path: "/console/accounts/5", show: (page) => press(page, "Edit account") },
  { name: "delete account", path: "/console/accounts/5", show: deleteAccount },
  { name: "edit attributes", path: "/console/accounts/5", show: (page) => press(page, "Edit attributes") },
  { name: "new contact", path: "/console/accounts/5", show: (page) => press(page, "New contact") },
  { name: "new meeting", path: "/console/accounts/5", show: (page) => press(page, "New meeting") },
  { name: "new request", path: "/console/accounts/5", show: (page) => press(page, "New request") },
  { name: "create for an id", path: "/console/unmatched", show: (page) => press(page, /^Create account: /) },
  { name: "link an id", path: "/console/unmatched", show: (page) => press(page, /^Link to account: /) },
  { name: "mapping of a file", path: "/console/import", show: chooseFile },
  { name: "new key", path: "/console/keys", show: (page) => press(page, "Create key") },
  { name: "shown key", path: "/console/keys", show: createKey },
  { name: "new webhook", path: "/console/webhooks", show: createWebhook },
  { name: "one webhook", path: "/console/webhooks?id=1", show: testWebhook },
  { name: "deliver again", path: "/console/webhooks?id=1", show: replay },
  { name: "revoke key", path: "/console/keys", show: (page) => press(page, /^Revoke /) },
];

/** Data that the sample companies lack: attributes, unmatched ids and a second key. */
export async function addSamples({ request, createKey: addKey }: Console): Promise<void> {
  const attributes = { owner: "Grace Hopper", plan: "enterprise", seats: 120, trial: false };
  await request("PATCH", "accounts/5", { attributes });
  const events = ["acme-eu", "acme-us", "globex"].flatMap((externalId, i) =>
    Array.from({ length: 3 + i }, (_, user) => ({
      event: "report.exported",
      externalId,
      userId: `u${user}`,
    })),
  );
  await request("POST", "events", { events });
  await addKey("Reports", ["read"]);
  await request("POST", "webhooks", { url: "https://127.0.0.1:1/changes", types: ["account.created"] });
}

async function deleteAccount(page: Page): Promise<void> {
  await page.locator("main summary").getByText("More", { exact: true }).click();
  await press(page, "Delete account");
}

async function press(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole("button", { name }).first().click();
}

async function findInPalette(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.keyboard.type("tesla");
  await page.getByRole("option", { name: "Tesla, Inc." }).waitFor();
}

async function openBox(page: Page, label: string): Promise<void> {
  const filters = page.locator("details.filters > summary");
  const isInside = label !== "Columns" && (await filters.count()) > 0;
  if (isInside) await filters.click();
  await page.locator("summary").getByText(label, { exact: true }).click();
}

async function chooseFile(page: Page): Promise<void> {
  const rows = Array.from({ length: 22 }, (_, i) => `new-${i},Company ${i},${i === 3 ? "much" : i},gold`);
  const buffer = Buffer.from(["externalId,name,mrr,attributes.plan", ...rows].join("\n"));
  await page.getByLabel("CSV file").setInputFiles({ name: "customers.csv", mimeType: "text/csv", buffer });
  await page.getByRole("region", { name: "Preview, table" }).waitFor();
  await press(page, "Dry run of all rows");
  await page.getByText("Nothing was stored.").waitFor();
}

async function createWebhook(page: Page): Promise<void> {
  await press(page, "Create webhook");
  await page.getByRole("checkbox", { name: "All changes" }).uncheck();
}

async function testWebhook(page: Page): Promise<void> {
  await press(page, "Send test");
  await page.getByText("The sample was not accepted.").waitFor();
}

async function replay(page: Page): Promise<void> {
  await page.locator("main summary").getByText("More", { exact: true }).click();
  await press(page, "Deliver again");
}

async function createKey(page: Page): Promise<void> {
  await press(page, "Create key");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Shown");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("dialog", { name: "Key Shown" }).waitFor();
}
