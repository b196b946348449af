import { beforeAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { card, cellsOf, eventually } from "./page-text.ts";
import { consoleSuite } from "./suite.ts";

const { server, test, visit, createAccount } = consoleSuite();

const hour = 3_600_000;
const at = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();
const add = (accountId: number, kind: string, row: Record<string, unknown>) =>
  server().request("POST", `accounts/${accountId}/${kind}`, row);
const titles = async (page: Page, name: string) =>
  (await cellsOf(card(page, name).locator("table"))).map(([title = ""]) => title);

let [small, large] = [0, 0];
beforeAll(async () => {
  small = await createAccount({ name: "Small customer", mrr: 90_000 });
  large = await createAccount({ name: "Large customer", mrr: 95_000.4 });
  await add(small, "contacts", { name: "Recorded One", email: "one@recorded.example" });
  await add(large, "contacts", { name: "Recorded Two", email: "two@recorded.example" });
  const seen = { contactEmail: "two@recorded.example", source: "test", lastSeenAt: at(-2 * hour) };
  await server().request("POST", "last-seen", { items: [seen] });
  for (const [title, start, end] of [
    ["Recorded later", 48, 49],
    ["Recorded next", 2, 3],
    ["Recorded now", -1, 1],
    ["Recorded before", -3, -2],
    ["Recorded long ago", -90, -89],
  ] as const)
    await add(small, "meetings", { title, startAt: at(start * hour), endAt: at(end * hour) });
  await add(small, "requests", { title: "Recorded small", severity: 5 });
  const former = await createAccount({ name: "Former customer", mrr: 99_000 });
  await server().request("PATCH", `accounts/${former}`, { status: "churned" });
  await add(former, "requests", { title: "Recorded former" });
  await add(large, "requests", { title: "Recorded slight", severity: 1 });
  await add(large, "requests", { title: "Recorded planned", severity: 4, status: "Planned" });
  await add(large, "requests", { title: "Recorded done", severity: 5, status: "Done" });
});

test("contacts have a link to their account, and the address has the search, the filter and the order", async ({
  page,
  open,
  idle,
}) => {
  await open("/console/contacts");
  await page.getByLabel("Search name or e-mail").fill("RECORDED");
  expect(await eventually(() => titles(page, "Contacts"), ["Recorded One", "Recorded Two"])).toEqual([
    "Recorded One",
    "Recorded Two",
  ]);
  await page.getByRole("button", { name: "Name" }).click();
  expect(await eventually(() => titles(page, "Contacts"), ["Recorded Two", "Recorded One"])).toEqual([
    "Recorded Two",
    "Recorded One",
  ]);
  await page.getByLabel("Last seen").selectOption("Never seen");
  expect(await eventually(() => titles(page, "Contacts"), ["Recorded One"])).toEqual(["Recorded One"]);
  const { search } = new URL(page.url());
  expect(search).toBe("?search=RECORDED&sortBy=name&sortOrder=desc&seen=never");
  await page.getByLabel("Last seen").selectOption("Seen in the last 7 days");
  expect(await eventually(() => titles(page, "Contacts"), ["Recorded Two"])).toEqual(["Recorded Two"]);
  await page.reload();
  await idle();
  expect(await titles(page, "Contacts")).toEqual(["Recorded Two"]);
  await page.getByRole("link", { name: "Large customer" }).click();
  await page.getByRole("heading", { name: "Large customer", level: 1 }).waitFor();
});

test("more contacts are shown by a button, each once", async ({ page, open, idle }) => {
  await open("/console/contacts");
  const rows = card(page, "Contacts").locator("tbody tr");
  expect(await rows.count()).toBe(50);
  await page.getByRole("button", { name: "Show more contacts" }).click();
  await idle();
  expect(await rows.count()).toBe(100);
  const cells = await cellsOf(card(page, "Contacts").locator("table"));
  expect(new Set(cells.map((row) => row.join())).size).toBe(100);
});

test("Back shows as many contacts as before at the same place, and then leaves the place alone", async ({
  page,
  open,
  idle,
}) => {
  await open("/console/contacts");
  const rows = card(page, "Contacts").locator("tbody tr");
  for (const count of [100, 150]) {
    await page.getByRole("button", { name: "Show more contacts" }).click();
    await idle();
    expect(await rows.count()).toBe(count);
  }
  await rows.nth(140).getByRole("link").last().focus();
  await rows.nth(140).scrollIntoViewIfNeeded();
  const top = await page.evaluate<number>("Math.round(scrollY)");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Contacts", level: 1 }).waitFor({ state: "detached" });
  await idle();
  await page.goBack();
  await idle();
  expect(await rows.count()).toBe(150);
  expect(await page.evaluate<number>("Math.round(scrollY)")).toBe(top);
  // Scrolling by a script, as a screen reader does, has no event that ends the restoring.
  await page.waitForTimeout(600);
  await page.evaluate("scrollTo(0, 100); document.body.append(document.createElement('i'))");
  await page.evaluate("new Promise(requestAnimationFrame)");
  expect(await page.evaluate<number>("scrollY")).toBe(100);
});

test("a place that a page no longer has is given up", async ({ page, open, idle }) => {
  await open("/console/accounts");
  await page.locator("tbody tr").nth(40).locator("th a").click();
  await idle();
  await page.route(/api\/v1\/accounts\?/, async (route) => {
    const reply = await route.fetch();
    const body: { data: object[] } = await reply.json();
    await route.fulfill({ response: reply, json: { ...body, data: body.data.slice(0, 30) } });
  });
  await page.goBack();
  await idle();
  await page.waitForTimeout(600);
  await page.evaluate("scrollTo(0, 50); document.body.append(document.createElement('i'))");
  await page.evaluate("new Promise(requestAnimationFrame)");
  expect(await page.evaluate<number>("scrollY")).toBe(50);
});

test("upcoming meetings are first, the next one at the top, and then past ones, the latest at the top", async ({
  page,
  open,
}) => {
  await open("/console/meetings?search=recorded");
  expect(await titles(page, "Upcoming")).toEqual(["Recorded now", "Recorded next", "Recorded later"]);
  expect(await titles(page, "Past")).toEqual(["Recorded before", "Recorded long ago"]);
  const sections = await page.locator("main section.card h2").allInnerTexts();
  expect(sections).toEqual(["Upcoming", "Past"]);
  await card(page, "Past").getByRole("link", { name: "Small customer" }).first().click();
  await page.getByRole("heading", { name: "Small customer", level: 1 }).waitFor();
});

test("open requests are ranked by the MRR of their account, then by severity", async ({ page, open }) => {
  await open("/console/requests");
  const first = (await titles(page, "Requests")).slice(0, 3);
  expect(first).toEqual(["Recorded planned", "Recorded slight", "Recorded small"]);
  const rows = await cellsOf(card(page, "Requests").locator("table"));
  const amounts = rows.map(([, , mrr = ""]) => Number(mrr.replaceAll(/[^\d.]/g, "")));
  expect(amounts).toEqual(amounts.toSorted((a, b) => b - a));
  expect(amounts.length).toBeGreaterThan(3);
});

test("requests of churned accounts are last, whatever their MRR", async ({ page, open }) => {
  await open("/console/requests?search=recorded");
  expect(await titles(page, "Requests")).toEqual([
    "Recorded planned",
    "Recorded slight",
    "Recorded small",
    "Recorded former",
  ]);
});

test("a request behind many accounts without one is found by more parts of the ranking", async () => {
  const key = await server().createOrganization("Many");
  const accounts = Array.from({ length: 1_100 }, (_, i) => ({
    externalId: `m${i}`,
    name: `Many ${i}`,
    mrr: i,
    ...(i === 0 && { requests: [{ externalId: "last", title: "Behind many" }] }),
  }));
  for (const part of [accounts.slice(0, 1_000), accounts.slice(1_000)])
    await server().request("POST", "accounts/batch", { accounts: part }, key);
  await visit({ key }, async ({ page, open, idle }) => {
    await open("/console/requests");
    await page.getByText("No request found so far").waitFor();
    await page.getByRole("button", { name: "Show more requests" }).click();
    await idle();
    expect(await titles(page, "Requests")).toEqual(["Behind many"]);
    expect(await page.getByRole("button", { name: "Show more requests" }).count()).toBe(0);
  });
});

test("an open request is found behind more than 100 later ones of its account", async () => {
  const key = await server().createOrganization("Old requests");
  const requests = Array.from({ length: 130 }, (_, i) => ({
    externalId: `r${i}`,
    title: `Request ${i}`,
    status: i === 0 ? "Open" : "Done",
    requestedAt: new Date(Date.UTC(2026, 0, 1) + i * hour).toISOString(),
  }));
  const accounts = [{ externalId: "old", name: "Old", requests }];
  await server().request("POST", "accounts/batch", { accounts }, key);
  await visit({ key }, async ({ page, open }) => {
    await open("/console/requests");
    expect(await titles(page, "Requests")).toEqual(["Request 0"]);
    await open("/console/requests?status=Done&search=request+12");
    expect((await titles(page, "Requests")).length).toBe(11);
  });
});

test("requests are filtered by status, severity and title, which the address has", async ({ page, open }) => {
  await open("/console/requests?search=recorded");
  await page.getByLabel("Severity").selectOption("Severity 4 and more");
  const found = ["Recorded planned", "Recorded small"];
  expect(await eventually(() => titles(page, "Requests"), found)).toEqual(found);
  await page.getByLabel("Status").selectOption("Done");
  expect(await eventually(() => titles(page, "Requests"), ["Recorded done"])).toEqual(["Recorded done"]);
  expect(new URL(page.url()).search).toBe("?search=recorded&severity=4&status=Done");
  await open("/console/requests?search=nothing-like-this");
  await page.getByText("No request matches").waitFor();
});

test("a part of the address that a page cannot read is named", async ({ page, open }) => {
  for (const [path, ignored] of [
    ["contacts?seen=often&sortBy=email", "seen=often, sortBy=email"],
    ["meetings?status=Open", "status=Open"],
    ["requests?severity=9&status=Old", "severity=9, status=Old"],
  ] as const) {
    await open(`/console/${path}`);
    expect(await page.locator(".ignored-parameters").textContent()).toContain(`no effect: ${ignored}.`);
  }
});
