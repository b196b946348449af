import { expect } from "bun:test";
import { shownText } from "./page-text.ts";
import { consoleSuite, isConflict } from "./suite.ts";

const { server, test } = consoleSuite();

async function sendEvents(externalId: string, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, i) => ({ event: "opened", externalId, userId: `u${i}` }));
  await server().request("POST", "events", { events });
}

/** The number of events that are counted for an account. */
async function usageOf(externalId: string): Promise<number> {
  const { id } = await server().request<{ id: number }>("GET", `accounts/external/${externalId}`);
  const rows = await server().request<{ count: number }[]>("GET", `accounts/${id}/usage?pageSize=1000`);
  return rows.reduce((sum, { count }) => sum + count, 0);
}

test("creating an account for an id attaches its events", async ({ page, open, idle }) => {
  await sendEvents("to-create", 7);
  await open("/console/unmatched");
  const row = page.getByRole("row").filter({ hasText: "to-create" });
  expect(await shownText(row.locator("td.number"))).toBe("7");
  await row.getByRole("button", { name: "Create account: to-create" }).click();
  const dialog = page.getByRole("dialog", { name: "Create account" });
  expect(await dialog.getByLabel("Name").inputValue()).toBe("to-create");
  await dialog.getByLabel("Name").fill("Created here");
  await dialog.getByLabel("MRR").fill("120.5");
  await dialog.getByRole("button", { name: "Create account" }).click();
  await page.getByText("Attached 7 events of to-create to").waitFor({ timeout: 15_000 });
  await idle();
  expect(await row.count()).toBe(0);
  expect(await usageOf("to-create")).toBe(7);
  await page.getByRole("status").getByRole("link", { name: "Created here" }).click();
  await page.getByRole("heading", { name: "Created here", level: 1 }).waitFor();
  expect(await shownText(page.getByRole("region", { name: "Summary" }))).toContain("120.5");
});

test("linking an id to an account without one attaches its events", async ({ page, open }) => {
  await sendEvents("to-link", 3);
  await server().request("POST", "accounts", { name: "Linked here" });
  await open("/console/unmatched?search=to-link");
  await page.getByRole("button", { name: "Link to account: to-link" }).click();
  const dialog = page.getByRole("dialog", { name: "Link to account" });
  await dialog.getByLabel("Find an account").pressSequentially("linked", { delay: 20 });
  await dialog.getByRole("radio", { name: "Linked here" }).check();
  await dialog.getByRole("button", { name: "Link to account" }).click();
  await page.getByText("Attached 3 events of to-link to").waitFor({ timeout: 15_000 });
  expect(await usageOf("to-link")).toBe(3);
});

test("linking to an account with an id says that the id is replaced", async ({ page, open }) => {
  await sendEvents("new-id", 1);
  await server().request("POST", "accounts", { name: "Renumbered", externalId: "old-id" });
  await open("/console/unmatched?search=new-id");
  await page.getByRole("button", { name: "Link to account: new-id" }).click();
  const dialog = page.getByRole("dialog", { name: "Link to account" });
  await dialog.getByLabel("Include accounts that have an external id").check();
  await dialog.getByLabel("Find an account").pressSequentially("renumbered", { delay: 20 });
  await dialog.getByRole("radio", { name: /Renumbered/ }).check();
  await dialog.getByText("The external id old-id of Renumbered is replaced.").waitFor();
  await dialog.getByRole("button", { name: "Link to account" }).click();
  await page.getByText("Attached 1 event of new-id to").waitFor({ timeout: 15_000 });
  expect(await usageOf("new-id")).toBe(1);
});

test(
  "linking to an account whose id is changed meanwhile shows the problem, and the id that would be replaced",
  async ({ page, context, open }) => {
    await sendEvents("late-id", 2);
    const { id } = await server().request<{ id: number }>("POST", "accounts", { name: "Moving" });
    const change = (externalId: string) => server().request("PATCH", `accounts/${id}`, { externalId });
    await open("/console/unmatched?search=late-id");
    await page.getByRole("button", { name: "Link to account: late-id" }).click();
    const dialog = page.getByRole("dialog", { name: "Link to account" });
    await dialog.getByLabel("Find an account").fill("moving");
    await dialog.getByRole("radio", { name: "Moving" }).check();
    await change("moved-1");
    const link = dialog.getByRole("button", { name: "Link to account" });
    await link.click();
    await dialog.getByText("The external id of the account was changed meanwhile.").waitFor();
    await dialog.getByText("The external id moved-1 of Moving is replaced.").waitFor();
    // Between the request that reads the account and the one that changes it.
    await context.route(`**/api/v1/accounts/${id}`, async (route) => {
      if (route.request().method() === "PATCH") await change("moved-2");
      await route.continue();
    });
    await link.click();
    await dialog.getByText("moved-1 of Moving").waitFor();
    await dialog.getByRole("alert").filter({ hasNotText: "meanwhile" }).waitFor();
    await context.unroute(`**/api/v1/accounts/${id}`);
    await link.click();
    await dialog.getByText("The external id moved-2 of Moving is replaced.").waitFor();
    await link.click();
    await page.getByText("Attached 2 events of late-id to").waitFor({ timeout: 15_000 });
    expect(await usageOf("late-id")).toBe(2);
  },
  isConflict("accounts"),
);

test(
  "an id that is taken meanwhile shows the problem in the dialog",
  async ({ page, open }) => {
    await sendEvents("taken", 1);
    await open("/console/unmatched?search=taken");
    await page.getByRole("button", { name: "Create account: taken" }).click();
    await server().request("POST", "accounts", { name: "Faster", externalId: "taken" });
    const dialog = page.getByRole("dialog", { name: "Create account" });
    await dialog.getByRole("button", { name: "Create account" }).click();
    await dialog.getByRole("alert").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  },
  { expected: [/^409 POST \/api\/v1\/accounts$/] },
);

test("the order and the search of the ids are in the address", async ({ page, open, idle }) => {
  await sendEvents("sorted-few", 1);
  await sendEvents("sorted-many", 4);
  await open("/console/unmatched?search=sorted");
  const ids = () => page.locator("tbody th code").allInnerTexts();
  expect(await ids()).toEqual(["sorted-many", "sorted-few"]);
  await page.getByRole("columnheader", { name: "Unmatched id" }).getByRole("button").click();
  await idle();
  expect(await ids()).toEqual(["sorted-few", "sorted-many"]);
  await page.reload();
  await idle();
  expect(await ids()).toEqual(["sorted-few", "sorted-many"]);
  expect(await page.getByLabel("Find an id").inputValue()).toBe("sorted");
});
