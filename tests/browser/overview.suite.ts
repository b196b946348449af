import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { card, cellsOf, eventually, shownText } from "./page-text.ts";
import { consoleSuite } from "./suite.ts";

const { server, test, visit } = consoleSuite();

const heightOfAtRisk = async (page: Page) => (await card(page, "MRR at risk").boundingBox())?.height ?? 0;

type Sum = { accounts: number; mrr: number };
type Summary = {
  tiers: (Sum & { tier: string | null })[];
  statuses: (Sum & { status: string })[];
  distribution: number[];
};

const integers = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const percents = new Intl.NumberFormat("en-US", { style: "percent", maximumFractionDigits: 0 });
const tierNames: Readonly<Record<string, string>> = {
  healthy: "Healthy",
  attention: "Attention",
  at_risk: "At risk",
  critical: "Critical",
  null: "Unscored",
};

const summary = () => server().request<Summary>("GET", "health/summary");
const meetingsOf = (id: number) => server().request<{ id: number }[]>("GET", `accounts/${id}/meetings`);
const countOf = async (query: string) => {
  const reply = await server().send("GET", `accounts?page=1&pageSize=1${query}`);
  return ((await reply.json()) as { pagination: { total: number } }).pagination.total;
};

test("each tier has the active and onboarding accounts of the API, and their revenue", async ({
  page,
  open,
}) => {
  await open("/console");
  const { tiers: all, statuses } = await summary();
  const former = statuses.filter(({ status }) => status === "churned" || status === "inactive");
  expect(former.every((row) => row.accounts > 0)).toBe(true);
  const tiers = all.map(({ tier, ...row }) => ({
    tier,
    accounts:
      tier === null ? former.reduce((rest, each) => rest - each.accounts, row.accounts) : row.accounts,
    mrr: tier === null ? former.reduce((rest, each) => rest - each.mrr, row.mrr) : row.mrr,
  }));
  const accounts = tiers.reduce((sum, tier) => sum + tier.accounts, 0);
  const mrr = tiers.reduce((sum, tier) => sum + tier.mrr, 0);
  const health = card(page, "Accounts by health");
  expect(await cellsOf(health.locator("table"))).toEqual(
    tiers.map((tier) => [
      expect.stringContaining(tierNames[String(tier.tier)] ?? ""),
      integers.format(tier.accounts),
      percents.format(tier.accounts / accounts),
      integers.format(tier.mrr),
      percents.format(tier.mrr / mrr),
    ]),
  );
  expect(await health.locator(".tier-bar strong").allInnerTexts()).toEqual([
    integers.format(accounts),
    integers.format(mrr),
  ]);
  expect(await health.locator(".tier-bar").first().locator(".bar span").count()).toBe(
    tiers.filter((tier) => tier.accounts > 0).length,
  );
});

test("the revenue at risk is that of the two lowest tiers, the largest accounts first", async ({
  page,
  open,
  idle,
}) => {
  await open("/console");
  const { tiers } = await summary();
  const lowest = tiers.filter(({ tier }) => tier === "at_risk" || tier === "critical");
  const risk = card(page, "MRR at risk");
  const mrr = lowest.reduce((sum, tier) => sum + tier.mrr, 0);
  expect(await shownText(risk.locator(".figure"))).toBe(integers.format(mrr));
  const query = "tier=at_risk,critical&sortBy=mrr&sortOrder=desc&pageSize=100";
  const rows = await server().request<{ name: string; mrr: number }[]>("GET", `health?${query}`);
  const cells = await cellsOf(risk.locator("table"));
  expect(cells.length).toBeGreaterThan(4);
  expect(cells.map(([name, , amount]) => [name, amount])).toEqual(
    rows.slice(0, cells.length).map((row) => [row.name, integers.format(row.mrr)]),
  );
  await risk.getByRole("link", { name: "All accounts at risk" }).click();
  await idle();
  const total = lowest.reduce((sum, tier) => sum + tier.accounts, 0);
  await page.getByText(`${integers.format(total)} accounts`).waitFor();
});

test("the histogram and its table have the distribution of the API", async ({ page, open }) => {
  await open("/console");
  const { distribution } = await summary();
  const histogram = card(page, "Score distribution");
  const counts = distribution.map((count) => integers.format(count));
  expect(await histogram.locator(".band .count").allInnerTexts()).toEqual(counts);
  await histogram.getByRole("button", { name: "Table" }).click();
  const cells = await cellsOf(histogram.locator("table"));
  expect(cells.map((row) => row[2])).toEqual(counts);
});

test("the accounts by status are those of the API, and link to the filtered table", async ({
  page,
  open,
  idle,
}) => {
  await open("/console");
  const statuses = card(page, "Accounts by status");
  for (const status of ["active", "onboarding", "inactive", "churned"]) {
    const row = statuses.locator("li", { has: page.locator(`a[href$="status=${status}"]`) });
    expect(await shownText(row.locator(".number"))).toStartWith(
      integers.format(await countOf(`&status=${status}`)),
    );
  }
  await statuses.getByRole("link", { name: "Churned" }).click();
  await idle();
  await page.getByRole("button", { name: "Remove the filter Status: Churned" }).waitFor();
});

test("the events per day add up to the events of the API from the first day on, and are in a table too", async ({
  page,
  open,
}) => {
  await open("/console");
  const from = new Date(Date.now() - 89 * 86_400_000).toISOString().slice(0, 10);
  const rows = await server().request<{ day: string; count: number }[]>(
    "GET",
    `usage?from=${from}&pageSize=1000`,
  );
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  const usage = card(page, "Events per day");
  const first = rows.map(({ day }) => day).sort()[0] ?? "";
  const days = Math.max(7, Math.round((Date.now() - Date.parse(first)) / 86_400_000 + 0.5));
  await usage.getByText(`${integers.format(total)} events in ${days} days`).waitFor();
  await usage.locator(".u-over").hover();
  await usage.locator(".tooltip strong").waitFor();
  await usage.getByRole("button", { name: "Table" }).click();
  const cells = await cellsOf(usage.locator("table"));
  expect(cells).toHaveLength(days);
  const shown = cells.reduce((sum, [, count]) => sum + Number(count?.replace(/\D/g, "")), 0);
  expect(shown).toBe(total);
});

test("accounts whose tier fell in the last 7 days are listed with both tiers, and changes are counted", async ({
  page,
  open,
  idle,
}) => {
  const body = { name: "Falling", mrr: 1234.5 };
  const { id } = await server().request<{ id: number }>("POST", "accounts", body);
  const now = Date.now();
  const timestamp = (milliseconds: number) => new Date(now - milliseconds).toISOString();
  const tiers = async () => {
    const rows = await server().request<{ type: string; after: { tier: string } }[]>(
      "GET",
      `accounts/${id}/history?pageSize=100`,
    );
    return rows.filter(({ type }) => type === "account.health_changed").map(({ after }) => after.tier);
  };
  const contact = (days: number) =>
    server().request("PATCH", `accounts/${id}`, { contactActivityAt: timestamp(days * 86_400_000) });
  const meeting = { title: "Call", startAt: timestamp(3_600_000), endAt: timestamp(1) };
  await server().request("POST", `accounts/${id}/meetings`, meeting);
  await contact(1);
  expect(await eventually(tiers, ["healthy"])).toEqual(["healthy"]);
  await server().request("DELETE", `meetings/${(await meetingsOf(id))[0]?.id}`);
  await contact(300);
  expect(await eventually(tiers, ["at_risk", "healthy"])).toEqual(["at_risk", "healthy"]);
  const paths: string[] = [];
  page.on("request", (request) => paths.push(new URL(request.url()).pathname));
  await open("/console");
  const falls = card(page, "Fell to a lower tier");
  const more = falls.getByRole("button");
  const showAll = async () => {
    await falls.locator("li").first().waitFor();
    while (await more.isVisible()) await more.click();
    await idle();
  };
  await showAll();
  const move = falls.locator("li").filter({ hasText: "Falling" });
  await move.waitFor();
  expect((await move.locator(".tier").allInnerTexts()).map((text) => text.trim())).toEqual([
    "Healthy",
    "At risk",
  ]);
  expect(await shownText(move.locator(".number"))).toBe("1,235");
  expect(Number(await shownText(falls.locator(".figure")))).toBe(await falls.locator("li").count());
  // The summary of changes, and the changes of tiers: no other page of the feed. They may be read again after a change.
  const changePaths = new Set(paths.filter((path) => path.startsWith("/api/v1/changes")));
  expect([...changePaths].filter((path) => !path.endsWith("/stream"))).toEqual([
    "/api/v1/changes/summary",
    "/api/v1/changes",
  ]);
  const { counts } = await server().request<{ counts: { type: string; count: number }[] }>(
    "GET",
    `changes/summary?from=${timestamp(7 * 86_400_000)}`,
  );
  const countOfType = (type: string) => counts.find((row) => row.type === type)?.count ?? 0;
  expect(await cellsOf(card(page, "Changes in the last 7 days").locator("table"))).toEqual(
    ["account", "contact", "meeting", "request"].map((noun) => [
      `${noun[0]?.toUpperCase()}${noun.slice(1)}s`,
      ...["created", "updated", "deleted"].map((action) => integers.format(countOfType(`${noun}.${action}`))),
    ]),
  );
  await server().request("DELETE", `accounts/${id}`);
  await open("/console");
  await showAll();
  expect(await move.count()).toBe(0);
});

test("many falls are shown in steps, and accounts that rose are a list of their own", async () => {
  // The sample companies have moves, too.
  const key = await server().createOrganization("Moving");
  const now = Date.now();
  const contact = (id: number, days: number) =>
    server().request(
      "PATCH",
      `accounts/${id}`,
      { contactActivityAt: new Date(now - days * 86_400_000).toISOString() },
      key,
    );
  const tierOf = async (id: number) =>
    (await server().request<{ tier: string }[]>("GET", `accounts/${id}/health/history`, undefined, key)).at(
      -1,
    )?.tier;
  const ids: number[] = [];
  for (let i = 0; i < 9; i += 1) {
    const { id } = await server().request<{ id: number }>(
      "POST",
      "accounts",
      { name: `Moving ${i}`, mrr: 100 * i },
      key,
    );
    const time = new Date(now).toISOString();
    const meeting = { title: "Call", startAt: time, endAt: time };
    await server().request("POST", `accounts/${id}/meetings`, meeting, key);
    await contact(id, i === 0 ? 300 : 1);
    ids.push(id);
  }
  const [rising = 0, ...falling] = ids;
  const before = await tierOf(rising);
  for (const id of falling) await tierOf(id);
  await contact(rising, 1);
  for (const id of falling) await contact(id, 300);
  for (const id of ids) await tierOf(id);
  expect(await tierOf(rising)).not.toBe(before);
  await visit({ key }, async ({ page, open }) => {
    await open("/console");
    const falls = card(page, "Fell to a lower tier");
    expect(await falls.locator("li").count()).toBe(7);
    // All fell to the same tier: the largest first.
    expect(await falls.locator("li a").allTextContents()).toEqual(
      [8, 7, 6, 5, 4, 3, 2].map((i) => `Moving ${i}`),
    );
    const heightBefore = await heightOfAtRisk(page);
    await falls.getByRole("button", { name: "Show more (1)" }).press("Enter");
    await falls.locator("li").nth(7).locator("a:focus").waitFor();
    expect(await heightOfAtRisk(page)).toBeLessThanOrEqual(heightBefore);
    await falls.getByText("Rose to a higher tier: 1 account").press("Enter");
    await falls.getByRole("list", { name: /^Rose/ }).getByText("Moving 0").waitFor();
  });
});

test("unmatched ids are counted, with a link to all", async ({ page, open }) => {
  const event = { event: "opened", externalId: "overview-unmatched", userId: "u" };
  await server().request("POST", "events", { events: [event, event] });
  await open("/console");
  const unmatched = card(page, "Pending events");
  const total = (await server().request<unknown[]>("GET", "events/unmatched")).length;
  expect(await shownText(unmatched.locator(".figure"))).toBe(integers.format(total));
  expect(await cellsOf(unmatched.locator("table"))).toContainEqual(["overview-unmatched", "2"]);
  await unmatched.getByRole("link", { name: "All unmatched ids" }).click();
  await page.getByRole("heading", { name: "Pending events", level: 1 }).waitFor();
});

test("an organization without accounts shows what to do first", async ({ page, newPage, context }) => {
  const key = await server().createOrganization("Empty");
  const { hostname } = new URL(server().url);
  const token = await server().signIn(key);
  await context.clearCookies();
  await context.addCookies([{ name: "accountd_session", value: token, domain: hostname, path: "/" }]);
  await page.goto(`${server().url}/console`);
  await page.getByRole("heading", { name: "Empty has no accounts yet" }).waitFor();
  await page.getByRole("link", { name: "Import accounts" }).waitFor();
  const accounts = await newPage();
  await accounts.goto(`${server().url}/console/accounts`);
  await accounts.getByText("No accounts yet").waitFor();
});
