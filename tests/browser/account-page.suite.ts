import { expect } from "bun:test";
import { card, cellsOf, dialogOf, shownText } from "./page-text.ts";
import { consoleSuite } from "./suite.ts";

const { server, createAccount, test } = consoleSuite();
const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

/** An account with people, meetings and requests, whose texts are long. */
async function createBusyAccount(): Promise<number> {
  const id = await createAccount({ name: "Busy", attributes: { owner: "Grace Hopper" } });
  const rows = {
    contacts: [{ name: "Ada Lovelace", email: "ada.lovelace@analytical-engine.example" }],
    meetings: [-40, -2, 30, 3].map((days) => ({
      title: `Meeting ${days}`,
      startAt: at(days),
      endAt: at(days),
    })),
    requests: [
      { title: "Answered", status: "Done" },
      { title: "Audit log export with a long title", status: "Planned" },
    ],
  };
  for (const [name, items] of Object.entries(rows))
    for (const item of items) await server().request("POST", `accounts/${id}/${name}`, item);
  return id;
}

test("people, next meetings and open requests come before the score, and the history comes last", async ({
  page,
  open,
}) => {
  await open(`/console/accounts/${await createBusyAccount()}`);
  const names = await page.evaluate<string[]>(
    "[...document.querySelectorAll('main section.card')].map((section) => section.ariaLabel)",
  );
  expect(names).toEqual([
    "Summary",
    "Contacts",
    "Meetings",
    "Requests",
    "Health",
    "Score over the last 90 days",
    "Attributes",
    "Usage",
    "History",
  ]);
  const namesIn = (name: string) => card(page, name).locator(".row-name").allInnerTexts();
  expect(await namesIn("Meetings")).toEqual(["Meeting 3", "Meeting 30", "Meeting -2", "Meeting -40"]);
  expect(await namesIn("Requests")).toEqual(["Audit log export with a long title", "Answered"]);
  expect(await card(page, "Meetings").locator("h3").allInnerTexts()).toEqual(["Now and next", "Past"]);
  expect(await shownText(card(page, "History"))).toContain("Request created: Answered");
});

for (const width of [390, 1024, 1280])
  test(
    `nothing of an account is cut off or broken within a word: ${width} px`,
    async ({ page, open }) => {
      await open(`/console/accounts/${await createBusyAccount()}`);
      await page.getByText("How the score is computed").click();
      const wide = await page.evaluate<string[]>(
        `[...document.querySelectorAll("main *")].filter((element) => element.scrollWidth > element.clientWidth + 1 &&
          getComputedStyle(element).display !== "inline" && !element.closest(".visually-hidden, .plot"))
          .map((element) => element.outerHTML.slice(0, 80))`,
      );
      expect(wide).toEqual([]);
      for (const button of await page.locator("main .row-actions button").all()) {
        const { x = 0, width: size = 0 } = (await button.boundingBox()) ?? {};
        expect(size).toBeGreaterThan(0);
        expect(x + size).toBeLessThanOrEqual(width - 16);
      }
      const lines = await page.evaluate<number>(
        "document.querySelector('.row-values a').getClientRects().length",
      );
      expect(lines).toBe(1);
      // A line of a sentence has more than a word or two.
      const heights = await page.evaluate<number[]>(
        "[...document.querySelectorAll('.factors > li')].map((item) => item.clientHeight)",
      );
      expect(Math.max(...heights)).toBeLessThan(100);
    },
    { width },
  );

test("a contact that is logged is a meeting that has begun, and counts as activity", async ({
  page,
  open,
  idle,
}) => {
  const id = await createAccount({ name: "Called" });
  await open(`/console/accounts/${id}`);
  await page.getByRole("button", { name: "Log a contact" }).click();
  const dialog = dialogOf(page, "Log a contact");
  await dialog.getByLabel("Title").fill("Call with Ada");
  expect(await dialog.locator("input").count()).toBe(2);
  expect(Date.parse(`${await dialog.getByLabel("When").inputValue()}Z`)).toBeGreaterThan(
    Date.now() - 120_000,
  );
  await dialog.getByRole("button", { name: "Log a contact" }).click();
  await card(page, "Meetings").getByText("Call with Ada").waitFor();
  await idle();
  const [meeting] = await server().request<{ startAt: string; endAt: string }[]>(
    "GET",
    `accounts/${id}/meetings`,
  );
  expect(Date.parse(meeting?.endAt ?? "") - Date.parse(meeting?.startAt ?? "")).toBe(30 * 60_000);
  const summary = await shownText(card(page, "Summary"));
  expect(summary).toContain("this minute");
  expect(summary).toContain("meeting");
});

test("a pinned last activity is marked, and can be cleared", async ({ page, open, idle }) => {
  const id = await createAccount({ name: "Pinned" });
  await server().request("POST", `accounts/${id}/meetings`, {
    title: "Call",
    startAt: at(-1),
    endAt: at(-1),
  });
  await server().request("PATCH", `accounts/${id}`, { contactActivityAt: at(-20) });
  await open(`/console/accounts/${id}`);
  const summary = card(page, "Summary");
  expect(await shownText(summary)).toContain("20 days ago");
  await summary.getByText("pinned", { exact: true }).waitFor();
  const health = card(page, "Health");
  await health.getByText("Last activity 20 days ago. Full score within 3 days.").waitFor();
  await summary.getByRole("button", { name: "Clear the pinned time" }).click();
  const dialog = dialogOf(page, "Clear the pinned time");
  await dialog.getByRole("button", { name: "Clear the pinned time" }).click();
  await health.getByText("Last activity 1 day ago. Full score within 3 days.").waitFor();
  await idle();
  expect(await summary.getByText("pinned", { exact: true }).count()).toBe(0);
  expect(await server().request<object>("GET", `accounts/${id}?include=contactActivity`)).toMatchObject({
    contactActivity: { source: "meeting" },
  });
});

test("an attribute has the label of its declaration, or the words of its name", async ({
  page,
  open,
  idle,
}) => {
  await server().request("PUT", "attributes/renewalDate?resource=accounts", {
    type: "date",
    label: "Renewal",
  });
  const id = await createAccount({
    name: "Renewed",
    attributes: { renewalDate: "2027-01-31", seatCount: 5 },
  });
  await open(`/console/accounts/${id}`);
  await idle();
  expect(await cellsOf(card(page, "Attributes").locator("table"))).toEqual([
    ["Renewal", "Jan 31, 2027"],
    ["Seat count", "5"],
  ]);
});

test("a meeting that has not ended is not past, and more past meetings are shown by a button", async ({
  page,
  open,
  idle,
}) => {
  const id = await createAccount({ name: "Often met" });
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  for (const hours of [-1, ...Array.from({ length: 7 }, (_, i) => -10 * (i + 1))])
    await server().request("POST", `accounts/${id}/meetings`, {
      title: `Met ${hours}`,
      startAt: at(hours),
      endAt: at(hours + 2),
    });
  await open(`/console/accounts/${id}`);
  const names = () => card(page, "Meetings").locator(".row-name").allInnerTexts();
  const latest = ["Met -1", "Met -10", "Met -20", "Met -30", "Met -40", "Met -50"];
  expect(await names()).toEqual(latest);
  await page.getByRole("button", { name: "Show more meetings" }).click();
  await idle();
  expect(await names()).toEqual([...latest, "Met -60", "Met -70"]);
});

test("a reload while more rows are being read reads them, too", async ({ page, open, idle }) => {
  const id = await createAccount({ name: "Reloaded" });
  for (let day = 1; day <= 8; day += 1)
    await server().request("POST", `accounts/${id}/meetings`, {
      title: `Met ${day}`,
      startAt: at(-day),
      endAt: at(-day),
    });
  await open(`/console/accounts/${id}`);
  const held = Promise.withResolvers<void>();
  // The request for more rows gets no response. The page aborts it.
  await page.route("**/meetings?*", () => held.resolve(), { times: 1 });
  await page.getByRole("button", { name: "Show more meetings" }).click();
  await held.promise;
  await page.getByRole("button", { name: "Log a contact" }).click();
  const dialog = dialogOf(page, "Log a contact");
  await dialog.getByLabel("Title").fill("Call");
  await dialog.getByRole("button", { name: "Log a contact" }).click();
  await card(page, "Meetings").getByText("Call").waitFor();
  await idle();
  const names = await card(page, "Meetings").locator(".row-name").allInnerTexts();
  expect(names).toEqual(["Call", ...Array.from({ length: 8 }, (_, i) => `Met ${i + 1}`)]);
});

test("attributes have words as names in the history and of contacts", async ({ page, open }) => {
  const id = await createAccount({ name: "Worded", attributes: { renewalDate: "2027-01-01" } });
  await server().request("PATCH", `accounts/${id}`, { attributes: { renewalDate: "2028-01-01" } });
  await server().request("POST", `accounts/${id}/contacts`, {
    name: "Ada",
    attributes: { jobTitle: "Engineer" },
  });
  await open(`/console/accounts/${id}`);
  expect(await shownText(card(page, "History"))).toContain("Renewal date 2027-01-01 → 2028-01-01");
  expect(await shownText(card(page, "Contacts"))).toContain("Job title: Engineer");
});
