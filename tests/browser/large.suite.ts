import { beforeAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { eventually, shownText } from "./page-text.ts";
import { consoleSuite } from "./suite.ts";

const { server, visit, test } = consoleSuite();

const accountCount = 100_000;
const batchRows = 500;
const maxPaintMilliseconds = 1_000;
const maxUsableMilliseconds = 1_500;
const maxTaskMilliseconds = 100;
/** Sorting and paging replace all rows. */
const maxRenderMilliseconds = 200;
const navigationCount = 200;
const maxHeapGrowth = 0.2;

/** The key of an organization with 100,000 accounts. */
let key = "";
beforeAll(async () => {
  key = await server().createOrganization("Large");
  for (let first = 0; first < accountCount; first += batchRows) {
    const accounts = Array.from({ length: batchRows }, (_, i) => ({
      externalId: `large-${first + i}`,
      name: `Company ${String((first + i) * 7919).padStart(9, "0")}`,
      mrr: (first + i) % 10_000,
      attributes: { plan: i % 3 === 0 ? "gold" : "silver", seats: (first + i) % 500 },
    }));
    await server().request("POST", "accounts/batch", { accounts }, key);
  }
}, 120_000);

/** A test of a page of the large organization. */
const testLarge = (title: string, use: Parameters<typeof test>[1]) =>
  test(title, () => visit({ key }, use), { key: null });

/** The longest of the tasks of the main thread since the start, in milliseconds. */
const observeTasks = `globalThis.longest = 0; new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration);
}).observe({ type: "longtask", buffered: false })`;

/** The times of the first paint and of the first row, since the start of the navigation. */
async function openTable(page: Page): Promise<{ paint: number; usable: number }> {
  await page.goto(`${server().url}/console/accounts`, { waitUntil: "commit" });
  await page.locator("tbody tr a").first().waitFor();
  const usable = await page.evaluate<number>("performance.now()");
  const paint = await page.evaluate<number>(
    "performance.getEntriesByName('first-contentful-paint')[0].startTime",
  );
  return { paint, usable };
}

testLarge("the table of 100,000 accounts is painted in 1 s and usable in 1.5 s", async ({ page, idle }) => {
  const samples: { paint: number; usable: number }[] = [];
  for (let i = 0; i < 5; i += 1) {
    samples.push(await openTable(page));
    await idle();
  }
  const sorted = (name: "paint" | "usable") =>
    samples.map((sample) => sample[name]).toSorted((a, b) => a - b);
  const text = (times: number[]) => times.map((time) => Math.round(time)).join(", ");
  const [paint, usable] = [sorted("paint"), sorted("usable")];
  console.log(`first paint ${text(paint)} ms; table usable ${text(usable)} ms`);
  // The medians: other programs use the same cores.
  expect(paint[2]).toBeLessThan(maxPaintMilliseconds);
  expect(usable[2]).toBeLessThan(maxUsableMilliseconds);
  await page.getByText("100,000 accounts").waitFor();
});

testLarge("typing in the search, sorting and paging do not block", async ({ page, open, idle }) => {
  await open("/console/accounts");
  await page.evaluate(`${observeTasks};0`);
  const search = page.getByRole("searchbox");
  await search.pressSequentially("Company 0007919", { delay: 60 });
  await eventually(() => page.locator("tbody tr").count(), 1);
  await idle();
  const typing = await page.evaluate<number>("globalThis.longest");
  await search.fill("");
  await idle();
  for (const title of ["MRR", "Health", "Name"]) {
    await page.getByRole("columnheader", { name: title }).getByRole("button").click();
    await idle();
  }
  for (let i = 0; i < 5; i += 1) {
    await page.keyboard.press("n");
    await idle();
  }
  expect(await shownText(page.locator(".pager span").first())).toStartWith("251–300");
  const all = await page.evaluate<number>("globalThis.longest");
  console.log(
    `longest task while typing ${Math.round(typing)} ms, while sorting and paging ${Math.round(all)} ms`,
  );
  expect(typing).toBeLessThan(maxTaskMilliseconds);
  expect(all).toBeLessThan(maxRenderMilliseconds);
  // Control: a task that blocks is measured.
  await page.evaluate("setTimeout(() => { const end = Date.now() + 250; while (Date.now() < end); })");
  const isMeasured = () => page.evaluate<boolean>("globalThis.longest >= 150");
  expect(await eventually(isMeasured, true)).toBe(true);
});

testLarge("the memory is the same after 200 navigations", async ({ page, context, open, idle }) => {
  const links = page.getByRole("navigation", { name: "Pages" });
  const session = await context.newCDPSession(page);
  await session.send("HeapProfiler.enable");
  const heapBytes = async () => {
    for (let i = 0; i < 3; i += 1) await session.send("HeapProfiler.collectGarbage");
    return (await session.send("Runtime.getHeapUsage")).usedSize;
  };
  const navigate = async (count: number) => {
    for (let i = 0; i < count; i += 1) {
      const title = ["Overview", "Accounts", "Pending events", "Contacts"][i % 4] ?? "";
      await links.getByText(title, { exact: true }).click();
      await page.locator("main h1").first().waitFor();
      // Some pages load their data, others are left before.
      if (i % 5 === 0) await idle();
    }
    await links.getByText("Accounts", { exact: true }).click();
    await idle();
  };
  await open("/console");
  await navigate(20);
  const before = await heapBytes();
  await navigate(navigationCount);
  const growth = (await heapBytes()) / before - 1;
  console.log(
    `heap ${(before / 1e6).toFixed(1)} MB, growth after 200 navigations ${(growth * 100).toFixed(1)} %`,
  );
  expect(growth).toBeLessThan(maxHeapGrowth);
});
