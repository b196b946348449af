import { expect } from "bun:test";
import { accountTable } from "./account-table.ts";
import { seriousFindings } from "./axe.ts";
import { consoleSuite } from "./suite.ts";

const { server, test } = consoleSuite();
const { namesOf, chipsOf, expectView, openBox } = accountTable(server);

test("filters by status and by tier", async ({ page, open }) => {
  await open("/console/accounts");
  await openBox(page, "Status");
  await page.getByRole("checkbox", { name: "Churned" }).check();
  await expectView(page, "status=churned");
  await page.getByRole("checkbox", { name: "Onboarding" }).check();
  await expectView(page, "status=churned,onboarding");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Remove the filter Status/ }).click();
  await openBox(page, "Tier");
  await page.getByRole("checkbox", { name: "At risk" }).check();
  await page.getByRole("checkbox", { name: "Critical" }).check();
  await expectView(page, "tier=at_risk,critical");
  expect(await chipsOf(page)).toEqual(["Tier: At risk, Critical"]);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expectView(page, "");
});

test("filters by a range of the revenue", async ({ page, open }) => {
  await open("/console/accounts");
  await openBox(page, "MRR");
  await page.getByLabel("MRR from").fill("4000");
  await page.getByLabel("MRR to").fill("6000");
  await page.getByRole("button", { name: "Apply" }).click();
  await expectView(page, "mrr.gte=4000&mrr.lte=6000");
  expect(await chipsOf(page)).toEqual(["MRR: 4,000 to 6,000"]);
});

test("filters by the last activity", async ({ page, open }) => {
  const day = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
  await open("/console/accounts");
  const apply = async (kind: string, days?: string) => {
    await openBox(page, "Last activity");
    const radio = page.getByRole("radio", { name: kind }).filter({ visible: true });
    await radio.check();
    if (days !== undefined)
      await page.locator("label").filter({ has: radio }).getByRole("spinbutton").fill(days);
    await page.getByRole("button", { name: "Apply" }).click();
  };
  await apply("Within the last", "14");
  await expectView(page, `contactActivityAt.gte=${day(14)}`);
  await apply("More than", "60");
  await expectView(page, `contactActivityAt.lt=${day(60)}`);
  await apply("Never");
  await expectView(page, "contactActivityAt=none");
});

test("filters by attributes of each type, and shows them as columns that are kept", async ({
  page,
  open,
  idle,
}) => {
  const create = (name: string, attributes: object) =>
    server().request("POST", "accounts", { name, attributes });
  await create("Attribute A", { plan: "gold", seats: 12, trial: true });
  await create("Attribute B", { plan: "silver", seats: 3, trial: false });
  await open("/console/accounts?search=Attribute");
  const add = async (name: string, comparison: string, value?: string) => {
    await openBox(page, "Attribute");
    await page.getByRole("combobox", { name: "Attribute", exact: true }).selectOption(name);
    await page.getByLabel("Comparison").selectOption(comparison);
    const input = page.getByLabel(/^Value/);
    if (value === "Yes") await input.selectOption(value);
    else if (value !== undefined) await input.fill(value);
    await page.getByRole("button", { name: "Add filter" }).click();
  };
  await add("plan", "is", "gold");
  await expectView(page, "search=Attribute&attributes.plan=gold");
  await add("seats", "is at least", "10");
  await expectView(page, "search=Attribute&attributes.plan=gold&attributes.seats.gte=10");
  await add("trial", "is", "Yes");
  expect(await chipsOf(page)).toEqual(["Plan is gold", "Seats is at least 10", "Trial is yes"]);
  expect(await namesOf(page)).toEqual(["Attribute A"]);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await openBox(page, "Columns");
  await page.getByRole("checkbox", { name: "seats" }).check();
  await page.getByRole("checkbox", { name: "Created" }).uncheck();
  await page.keyboard.press("Escape");
  const header = page.getByRole("columnheader", { name: "seats" });
  await header.getByRole("button").click();
  await expectView(page, "search=Attribute&sortBy=attributes.seats&sortOrder=desc");
  await page.reload();
  await idle();
  await header.waitFor();
  expect(await page.getByRole("columnheader", { name: "Created" }).count()).toBe(0);
  expect(await namesOf(page)).toEqual(["Attribute A", "Attribute B"]);
  expect(await page.locator("tbody td.number").allInnerTexts()).toContain("12");
});

test("a range of the revenue that no account can match says so at its fields, and in the table of a link", async ({
  page,
  open,
}) => {
  const text = "MRR from is larger than MRR to: no account matches.";
  await open("/console/accounts");
  await openBox(page, "MRR");
  await page.getByLabel("MRR from").fill("6000");
  await page.getByLabel("MRR to").fill("4000");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByRole("alert").getByText(text).waitFor();
  expect(await page.getByLabel("MRR from").getAttribute("aria-invalid")).toBe("true");
  expect(new URL(page.url()).search).toBe("");
  await page.getByLabel("MRR to").fill("8000");
  await page.getByRole("button", { name: "Apply" }).click();
  await expectView(page, "mrr.gte=6000&mrr.lte=8000");
  await openBox(page, "MRR");
  await page.getByLabel("MRR to").fill("4000");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByRole("alert").getByText(text).waitFor();
  // The form is a new one without the filter.
  await page.getByRole("button", { name: /^Remove the filter MRR/ }).click();
  await expectView(page, "");
  expect(await page.getByText(text).count()).toBe(0);
  await open("/console/accounts?mrr.gte=6000&mrr.lte=4000");
  await page.locator(".empty").getByText(text).waitFor();
});

test("parts of an address that have no effect are named, and can be removed", async ({
  page,
  open,
  idle,
}) => {
  await open("/console/accounts?status=active,gone&teir=critical&sortBy=mrr");
  const notice = page.locator(".ignored-parameters");
  expect(await notice.locator("code").allInnerTexts()).toEqual(["status=active,gone", "teir=critical"]);
  await expectView(page, "status=active&sortBy=mrr");
  expect(await seriousFindings(page)).toEqual([]);
  await notice.getByRole("button", { name: "Remove it from the address" }).click();
  await idle();
  expect(await notice.count()).toBe(0);
  expect(new URL(page.url()).search).toBe("?status=active&sortBy=mrr");
  for (const [path, ignored] of [
    ["/console?days=5", "days=5"],
    ["/console/accounts/5?days=91", "days=91"],
    ["/console/unmatched?sortBy=secret&search=a", "sortBy=secret"],
    ["/console/import?file=a.csv", "file=a.csv"],
    ["/console/keys?name=x", "name=x"],
  ] as const) {
    await open(path);
    expect(await notice.locator("code").allInnerTexts()).toEqual([ignored]);
  }
});

test("an eleventh filter by an attribute is not added, and one of an address is named", async ({
  page,
  open,
}) => {
  await server().request("POST", "accounts", { name: "Filtered", attributes: { plan: "gold" } });
  const filters = Array.from({ length: 11 }, (_, i) => `attributes.plan${i}=none`);
  await open(`/console/accounts?${filters.slice(0, 10).join("&")}`);
  await openBox(page, "Attribute");
  await page.getByText("A table has at most 10 filters by attributes. Remove one first.").waitFor();
  await open(`/console/accounts?${filters.join("&")}`);
  const notice = page.locator(".ignored-parameters");
  expect(await notice.locator("code").allInnerTexts()).toEqual(["attributes.plan10=none"]);
});
