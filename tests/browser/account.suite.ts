import { expect } from "bun:test";
import type { Locator, Route } from "playwright-core";
import { seriousFindings } from "./axe.ts";
import { card, cellsOf, dialogOf, save, shownText } from "./page-text.ts";
import { consoleSuite, isConflict } from "./suite.ts";

const { server, createAccount, test } = consoleSuite();

type Account = { name: string; mrr: number; externalId: string; contacts: { name: string }[] };
type Health = {
  score: number | null;
  factors: Record<string, { score: number | null; weight: number }>;
};

/** The entries of a list of terms. */
async function factsOf(list: Locator): Promise<Record<string, string>> {
  const terms = await list.locator("dt").allInnerTexts();
  const values = await list.locator("dd").allInnerTexts();
  return Object.fromEntries(terms.map((term, i) => [term, values[i] ?? ""]));
}

test("an account shows its members, its health and its lists", async ({ page, open }) => {
  const scored = await server().request<{ accountId: number }[]>("GET", "health?tier=attention&pageSize=1");
  const id = scored[0]?.accountId;
  await open(`/console/accounts/${id}`);
  const account = await server().request<Account>("GET", `accounts/${id}`);
  const health = await server().request<Health>("GET", `accounts/${id}/health`);
  expect(await shownText(page.getByRole("heading", { level: 1 }))).toBe(account.name);
  const facts = await factsOf(card(page, "Summary"));
  const cents = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  expect(facts.MRR).toBe(cents.format(account.mrr));
  expect(facts["External id"]).toBe(account.externalId);
  expect(facts.Tier).toContain(String(Math.round(health.score ?? 0)));
  await page.getByText("How the score is computed").click();
  const text = await shownText(card(page, "Health"));
  for (const { weight } of Object.values(health.factors)) expect(text).toContain(String(weight));
  for (const name of ["Contacts", "Meetings", "Requests", "Attributes", "History", "Usage"])
    expect(await card(page, name).count()).toBe(1);
  expect(await shownText(card(page, "Contacts"))).toContain(account.contacts[0]?.name ?? "");
});

test("amounts have the currency of the organization, and none without one", async ({ page, open }) => {
  const id = await createAccount({ name: "Paid", mrr: 1234.5 });
  const amounts = { EUR: "€1,234.50", JPY: "¥1,235", null: "1,234.50" };
  for (const [currency, text] of Object.entries(amounts)) {
    await server().request("PATCH", "organization", { currency: currency === "null" ? null : currency });
    await open(`/console/accounts/${id}`);
    expect([currency, (await factsOf(card(page, "Summary"))).MRR]).toEqual([currency, text]);
  }
});

test("usage has three ranges, values under the pointer, and a table with the counts of the API", async ({
  page,
  open,
  idle,
}) => {
  const id = await createAccount({ name: "Used", externalId: "used" });
  const at = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const events = [
    { event: "opened", externalId: "used", userId: "a", timestamp: at(0) },
    { event: "opened", externalId: "used", userId: "b", timestamp: at(0) },
    { event: "closed", externalId: "used", userId: "a", timestamp: at(30) },
  ];
  await server().request("POST", "events", { events });
  await open(`/console/accounts/${id}`);
  const usage = card(page, "Usage");
  expect(await shownText(usage.locator(".legend"))).toBe("opened");
  const table = usage.getByRole("figure", { name: "Events by day" });
  await table.getByRole("button", { name: "Table" }).click();
  const rows = await cellsOf(table.locator("table"));
  expect(rows).toHaveLength(28);
  expect(rows[0]?.slice(1)).toEqual(["2"]);
  const users = usage.getByRole("figure", { name: "Distinct users by event and day" });
  await users.locator(".u-over").hover();
  await users.locator(".tooltip strong").waitFor();
  await usage.getByRole("button", { name: "90 days" }).click();
  await idle();
  expect(page.url()).toEndWith("?days=90");
  const quarter = await cellsOf(table.locator("table"));
  expect(quarter).toHaveLength(90);
  expect(quarter.flatMap((row) => row.slice(1)).filter((cell) => /^[1-9]/.test(cell))).toEqual(["2", "1"]);
  await usage.getByRole("button", { name: "365 days" }).click();
  await idle();
  expect(await cellsOf(table.locator("table"))).toHaveLength(365);
  await page.reload();
  await idle();
  expect(await usage.getByRole("button", { name: "365 days" }).getAttribute("aria-pressed")).toBe("true");
});

test("each member of an account can be edited, and the history has from and to", async ({
  page,
  open,
  idle,
}) => {
  const id = await createAccount({ name: "Before", mrr: 10 });
  await open(`/console/accounts/${id}`);
  await page.getByRole("button", { name: "Edit account" }).click();
  const dialog = dialogOf(page, "Edit account");
  await dialog.getByLabel("Name").fill("After");
  await dialog.getByLabel("Status").selectOption("onboarding");
  await dialog.getByLabel("MRR").fill("99.5");
  await dialog.getByLabel("External id").fill("edited-1");
  await dialog.getByLabel("Logo URL").fill("https://logos.example/a.png");
  await dialog.getByLabel("Last activity").fill("2026-01-02T03:04");
  await save(dialog);
  await dialog.waitFor({ state: "detached" });
  await idle();
  expect(await server().request<object>("GET", `accounts/${id}?include=contactActivity`)).toMatchObject({
    name: "After",
    onboarding: true,
    mrr: 99.5,
    externalId: "edited-1",
    logoUrl: "https://logos.example/a.png",
    contactActivity: { at: "2026-01-02T03:04:00.000Z", source: "api" },
  });
  expect(await shownText(page.getByRole("heading", { level: 1 }))).toBe("After");
  const facts = await factsOf(card(page, "Summary"));
  expect(facts).toMatchObject({ Status: "Onboarding", MRR: "99.50", "External id": "edited-1" });
  const change = card(page, "History").locator("li", { hasText: "Before → After" }).first();
  expect(await shownText(change)).toContain("10.00 → 99.50");
  expect(await shownText(change)).toContain("quickstart");
});

for (const [choice, expected] of [
  ["Overwrite with mine", { name: "Theirs", mrr: 7 }],
  ["Keep theirs", { name: "Theirs", mrr: 5 }],
] as const)
  test(
    `a conflict shows both versions: ${choice.toLowerCase()}`,
    async ({ page, open, idle }) => {
      const id = await createAccount({ name: "Ours", mrr: 1 });
      await open(`/console/accounts/${id}`);
      await page.getByRole("button", { name: "Edit account" }).click();
      const dialog = dialogOf(page, "Edit account");
      await dialog.getByLabel("MRR").fill("7");
      await server().request("PATCH", `accounts/${id}`, { name: "Theirs", mrr: 5 });
      await save(dialog);
      const conflict = dialogOf(page, "Edit account: changed by somebody else");
      await conflict.locator("table").waitFor();
      expect(await cellsOf(conflict.locator("table"))).toEqual([
        ["Name", "Theirs", "Ours (not changed)"],
        ["MRR", "5.00", "7.00"],
      ]);
      expect(await seriousFindings(page)).toEqual([]);
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await seriousFindings(page)).toEqual([]);
      await conflict.getByRole("button", { name: choice }).click();
      await conflict.waitFor({ state: "detached" });
      await idle();
      expect(await server().request<object>("GET", `accounts/${id}`)).toMatchObject(expected);
      const facts = await factsOf(card(page, "Summary"));
      expect(facts.MRR).toBe(expected.mrr.toFixed(2));
      expect(await shownText(page.getByRole("heading", { level: 1 }))).toBe(expected.name);
    },
    isConflict("accounts"),
  );

test(
  "a problem of a form is at its field, and nothing is lost",
  async ({ page, open }) => {
    const id = await createAccount({ name: "Invalid" });
    await open(`/console/accounts/${id}`);
    await page.getByRole("button", { name: "Edit account" }).click();
    const dialog = dialogOf(page, "Edit account");
    await dialog.getByLabel("Logo URL").fill("javascript:alert(1)");
    await save(dialog);
    await dialog.getByRole("alert").getByText("Correct the marked fields.").waitFor();
    const field = dialog.locator(".field", { has: page.getByLabel("Logo URL") });
    expect(await shownText(field)).toContain("Logo URL must be an http or https URL.");
    expect(await page.evaluate<string>("document.activeElement.name")).toBe("logoUrl");
    expect(await seriousFindings(page)).toEqual([]);
    expect(await dialog.getByLabel("Logo URL").inputValue()).toBe("javascript:alert(1)");
  },
  { expected: [/^400 PATCH/] },
);

test("the effect of a meeting is shown before and after it", async ({ page, open, idle }) => {
  const id = await createAccount({ name: "Never met" });
  const lastAt = new Date(Date.now() - 10 * 86_400_000).toISOString();
  await server().request("POST", "events", {
    events: [{ event: "opened", accountId: id, timestamp: lastAt }],
  });
  await open(`/console/accounts/${id}`);
  const health = card(page, "Health");
  const meetings = health.getByRole("listitem").filter({ hasText: "in 180 days" });
  expect(await shownText(meetings)).toContain("0 meetings in 180 days.");
  expect(await shownText(health.locator("li", { hasText: "1 more meeting" }))).toContain("→");
  const startAt = new Date(Date.now() - 3_600_000).toISOString();
  await server().request("POST", `accounts/${id}/meetings`, { title: "Kickoff", startAt, endAt: startAt });
  await page.reload();
  await idle();
  expect(await shownText(meetings)).toContain("1 meeting in 180 days. Full score from 6.");
  const details = health.getByRole("row", { name: /^Meetings/ });
  expect(await details.isVisible()).toBe(false);
  await health.getByText("How the score is computed").click();
  expect(await shownText(details)).toContain("100 from 6, 80 from 3, 60 from 2, 40 from 1, else 20.");
  expect(await shownText(details)).toContain("Counts from your organization's first meeting.");
  const summary = page.getByRole("region", { name: "Summary" });
  expect(await shownText(summary)).toContain("meeting");
});

test("the history is read further", async ({ page, open, idle }) => {
  const id = await createAccount({ name: "Changed often" });
  for (let mrr = 1; mrr <= 12; mrr += 1) await server().request("PATCH", `accounts/${id}`, { mrr });
  await open(`/console/accounts/${id}`);
  const items = card(page, "History").locator("ol > li");
  expect(await items.count()).toBe(10);
  await page.getByRole("button", { name: "Show more changes" }).click();
  await idle();
  const total = await server().request<unknown[]>("GET", `accounts/${id}/history?pageSize=100`);
  expect(await items.count()).toBe(Math.min(20, total.length));
  expect(await shownText(items.last())).toContain("created");
});

test("an account is deleted after a confirmation with its name", async ({ page, open, idle }) => {
  const id = await createAccount({ name: "To be deleted" });
  await open(`/console/accounts/${id}`);
  expect(await page.getByRole("button", { name: "Delete account" }).isVisible()).toBe(false);
  await page.locator("summary", { hasText: "More" }).click();
  await page.getByRole("button", { name: "Delete account" }).click();
  const dialog = dialogOf(page, "Delete account");
  await dialog.getByText("To be deleted").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  expect((await server().send("GET", `accounts/${id}`)).status).toBe(200);
  await page.locator("summary", { hasText: "More" }).click();
  await page.getByRole("button", { name: "Delete account" }).click();
  await dialog.getByRole("button", { name: "Delete account" }).click();
  await page.getByRole("heading", { name: "Accounts", level: 1 }).waitFor();
  await idle();
  expect((await server().send("GET", `accounts/${id}`)).status).toBe(404);
});

test("an account whose deletion ends after the dialog was closed is not shown any more", async ({
  page,
  context,
  open,
}) => {
  const id = await createAccount({ name: "Deleted late" });
  const held = Promise.withResolvers<Route>();
  await open(`/console/accounts/${id}`);
  await context.route(`**/api/v1/accounts/${id}`, (route) => held.resolve(route));
  await page.locator("summary", { hasText: "More" }).click();
  await page.getByRole("button", { name: "Delete account" }).click();
  await dialogOf(page, "Delete account").getByRole("button", { name: "Delete account" }).click();
  const route = await held.promise;
  await page.keyboard.press("Escape");
  await dialogOf(page, "Delete account").waitFor({ state: "detached" });
  await route.continue();
  await page.getByRole("heading", { name: "Accounts", level: 1 }).waitFor();
});

test(
  "the address of no account says so, with a link to the list",
  async ({ page, open }) => {
    await open("/console/accounts/999999999");
    await page.getByRole("heading", { name: "Account not found" }).waitFor();
    await page.getByRole("link", { name: "Show all accounts" }).click();
    await page.getByRole("heading", { name: "Accounts", level: 1 }).waitFor();
  },
  { expected: [/^404 GET \/api\/v1\/accounts\/999999999/] },
);
