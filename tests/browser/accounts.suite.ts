import { expect } from "bun:test";
import { accountTable } from "./account-table.ts";
import { eventually } from "./page-text.ts";
import { consoleSuite } from "./suite.ts";

const { server, test } = consoleSuite();
const { namesOf, listed, expectView, openBox } = accountTable(server);

test("the table begins with the first accounts by name", async ({ page, open }) => {
  await open("/console/accounts");
  await expectView(page, "");
  expect(await namesOf(page)).toHaveLength(50);
});

test("search as you type finds names and ids with few requests, and is in the address", async ({
  page,
  open,
  idle,
}) => {
  await open("/console/accounts");
  const requests: string[] = [];
  page.on("request", (request) => requests.push(new URL(request.url()).search));
  await page.getByRole("searchbox").focus();
  // In the page, so that a slow machine does not pause between two keys.
  await page.evaluate(`(async () => {
    for (const letter of "energy") {
      document.execCommand("insertText", false, letter);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })()`);
  await expectView(page, "search=energy");
  expect(new URL(page.url()).search).toBe("?search=energy");
  const rows = requests.filter((query) => query.includes("search=") && !query.includes("pageSize=1&"));
  expect(rows.length).toBeLessThanOrEqual(4);
  expect(requests.some((query) => query.includes("search=ene&"))).toBe(false);
  await page.getByRole("searchbox").fill("TSLA");
  await expectView(page, "search=TSLA");
  await page.getByRole("searchbox").fill("no such company");
  await page.getByText("No account matches").waitFor();
  await page.getByRole("button", { name: "Clear search and filters" }).click();
  await idle();
  await expectView(page, "");
});

test("each heading sorts in both directions, numbers and times from the largest, as the API does", async ({
  page,
  open,
}) => {
  await open("/console/accounts");
  for (const [title, name, first] of [
    ["MRR", "mrr", "desc"],
    ["Health", "healthScore", "desc"],
    ["Last activity", "contactActivityAt", "desc"],
    ["Created", "createdAt", "desc"],
    ["Name", "name", "asc"],
  ]) {
    const header = page.getByRole("columnheader", { name: title ?? "" });
    const orders = [
      ["asc", "ascending"],
      ["desc", "descending"],
    ];
    for (const [order, direction] of first === "asc" ? orders : orders.toReversed()) {
      await header.getByRole("button").click();
      await expectView(page, `sortBy=${name}&sortOrder=${order}`);
      expect(await header.getAttribute("aria-sort")).toBe(direction ?? "");
    }
  }
});

test("the address is the view: a link shows the same, and Back the view before", async ({
  page,
  open,
  newPage,
}) => {
  await open("/console/accounts");
  await page.getByRole("columnheader", { name: "MRR" }).getByRole("button").click();
  await expectView(page, "sortBy=mrr&sortOrder=desc");
  await openBox(page, "Status");
  await page.getByRole("checkbox", { name: "Active", exact: true }).check();
  await expectView(page, "sortBy=mrr&sortOrder=desc&status=active");
  const copy = await newPage();
  await copy.goto(page.url());
  await expectView(copy, "sortBy=mrr&sortOrder=desc&status=active");
  await page.goBack();
  await expectView(page, "sortBy=mrr&sortOrder=desc");
  await page.goBack();
  await expectView(page, "");
  await page.goForward();
  await expectView(page, "sortBy=mrr&sortOrder=desc");
});

test("rows and pages are reached by the keyboard", async ({ page, open, idle }) => {
  await open("/console/accounts");
  const { names } = await listed("");
  const focused = () => page.evaluate<string>("document.activeElement.textContent");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  expect(await focused()).toBe(names[1] ?? "");
  await page.keyboard.press("k");
  await page.keyboard.press("ArrowDown");
  expect(await focused()).toBe(names[1] ?? "");
  await page.keyboard.press("n");
  const second = await server().send("GET", "accounts?page=2&pageSize=50");
  const { data } = (await second.json()) as { data: { name: string }[] };
  const expected = data.map(({ name }) => name);
  expect(await eventually(() => namesOf(page), expected)).toEqual(expected);
  await idle();
  await page.keyboard.press("p");
  expect(await eventually(() => namesOf(page), names)).toEqual(names);
  await idle();
  await page.keyboard.press("/");
  await page.keyboard.type("njkp");
  expect(await page.getByRole("searchbox").inputValue()).toBe("njkp");
  await page.getByRole("searchbox").fill("TSLA");
  await expectView(page, "search=TSLA");
  await page.getByRole("searchbox").blur();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Tesla, Inc.", level: 1 }).waitFor();
});

test("the pages have all accounts once", async ({ page, open, idle }) => {
  await open("/console/accounts?status=active");
  const { total } = await listed("status=active");
  const seen: string[] = [];
  for (;;) {
    seen.push(...(await page.locator("tbody th a").evaluateAll((links) => links.map(String))));
    const next = page.getByRole("button", { name: "Next" });
    if (await next.isDisabled()) break;
    await next.click();
    await idle();
  }
  expect(`${new Set(seen).size} accounts`).toBe(total);
  expect(seen.length).toBe(new Set(seen).size);
  // Another order begins with its first page.
  await page.getByRole("columnheader", { name: "MRR" }).getByRole("button").click();
  await expectView(page, "status=active&sortBy=mrr&sortOrder=desc");
});

test("the export of a view is the CSV of the API with the same filters", async ({ page, open }) => {
  await open("/console/accounts?status=active&mrr.gte=3000&sortBy=mrr&sortOrder=desc");
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export CSV" }).click();
  const file = await downloading;
  expect(file.suggestedFilename()).toMatch(/^accounts-\d{4}-\d\d-\d\d\.csv$/);
  const bytes = await Bun.file(await file.path()).bytes();
  // Spreadsheets recognize UTF-8 by the byte-order mark.
  expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  const text = new TextDecoder().decode(bytes);
  const query = "status=active&mrr.gte=3000&sortBy=mrr&sortOrder=desc&include=health,contactActivity";
  expect(text).toBe(await (await server().send("GET", `accounts.csv?${query}`)).text());
  const [header = "", ...rows] = text.trim().split("\n");
  expect(header).toContain("health.score,health.tier,contactActivity.at,contactActivity.source");
  expect(rows.length).toBeGreaterThan(10);
});

test("a created account opens", async ({ page, open, idle }) => {
  await open("/console/accounts");
  await page.getByRole("button", { name: "Create account" }).click();
  const dialog = page.getByRole("dialog", { name: "Create account" });
  await dialog.getByLabel("Name", { exact: true }).fill("Made in the table");
  await dialog.getByLabel("External id").fill("made-1");
  await dialog.getByLabel("Status").selectOption("onboarding");
  await dialog.getByLabel("MRR").fill("42.5");
  await dialog.getByLabel("Contact name").fill("Ada");
  await dialog.getByLabel("Contact e-mail").fill("ada@made.example");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Made in the table", level: 1 }).waitFor();
  await idle();
  const account = await server().request("GET", "accounts/external/made-1");
  expect(account).toMatchObject({
    name: "Made in the table",
    mrr: 42.5,
    onboarding: true,
    contacts: [{ name: "Ada", email: "ada@made.example" }],
  });
});

test(
  "a taken external id shows the problem at its field",
  async ({ page, open }) => {
    await open("/console/accounts");
    await page.getByRole("button", { name: "Create account" }).click();
    const dialog = page.getByRole("dialog", { name: "Create account" });
    await dialog.getByLabel("Name", { exact: true }).fill("Second Tesla");
    await dialog.getByLabel("External id").fill("TSLA");
    await dialog.getByRole("button", { name: "Create account" }).click();
    await dialog.getByRole("alert").getByText("The external id is in use. Choose another one.").waitFor();
    await dialog.getByText(/^External id is in use/).waitFor();
    expect(await dialog.getByLabel("Name", { exact: true }).inputValue()).toBe("Second Tesla");
  },
  { expected: [/^409 POST \/api\/v1\/accounts$/] },
);
