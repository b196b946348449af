import { expect } from "bun:test";
import type { BrowserContext, Page, Request } from "playwright-core";
import { card, dialogOf, eventually, save, shownText } from "./page-text.ts";
import { consoleSuite } from "./suite.ts";

const { server, test, createAccount } = consoleSuite();
const maxStreams = 250;

/** The pages of the context that have an open stream. */
function watchStreams(context: BrowserContext) {
  const open = new Map<Request, Page>();
  const isStream = (request: Request) => new URL(request.url()).pathname === "/api/v1/changes/stream";
  context.on("request", (request) => {
    if (isStream(request)) open.set(request, request.frame().page());
  });
  context.on("requestfinished", (request) => open.delete(request));
  context.on("requestfailed", (request) => open.delete(request));
  return () => [...open.values()].filter((page) => !page.isClosed());
}

/** How many streams and waiting requests the organization has at the server: the limit less those that it accepts. */
async function countStreams(): Promise<number> {
  const controller = new AbortController();
  const { signal } = controller;
  const headers = { "x-api-key": server().key };
  const open = () => fetch(`${server().url}/api/v1/changes/stream`, { headers, signal });
  const replies = await Promise.all(Array.from({ length: maxStreams }, open));
  controller.abort();
  return replies.filter(({ status }) => status === 429).length;
}

const rename = (id: number, name: string) => server().request("PATCH", `accounts/${id}`, { name });

test("all tabs share one stream, and when its tab is closed another one goes on with it", async ({
  page,
  context,
  idle,
  newPage,
}) => {
  const streamPages = watchStreams(context);
  const id = await createAccount({ name: "Before" });
  const tabs = [page, await newPage(), await newPage()];
  for (const tab of tabs) await tab.goto(`${server().url}/console/accounts/${id}`);
  await idle();
  expect([streamPages().length, await countStreams()]).toEqual([1, 1]);
  await rename(id, "First");
  for (const tab of tabs) await tab.getByRole("heading", { level: 1, name: "First" }).waitFor();
  const [leader] = streamPages();
  if (!leader) throw new Error("no tab has the stream");
  await leader.close();
  // Between the two streams.
  await rename(id, "Second");
  const others = tabs.filter((tab) => tab !== leader);
  for (const tab of others) await tab.getByRole("heading", { level: 1, name: "Second" }).waitFor();
  expect(streamPages().map((tab) => others.includes(tab))).toEqual([true]);
});

test("without locks, as on a page without TLS, a visible tab has its own stream", async ({
  page,
  context,
  open,
}) => {
  await page.addInitScript('Object.defineProperty(Navigator.prototype, "locks", { value: undefined })');
  const streamPages = watchStreams(context);
  const id = await createAccount({ name: "Before" });
  await open(`/console/accounts/${id}`);
  expect(streamPages()).toEqual([page]);
  await rename(id, "After");
  await page.getByRole("heading", { level: 1, name: "After" }).waitFor();
});

test(
  "a page is not read again while the stream cannot begin, and has what it missed once it begins",
  async ({ page, open, idle }) => {
    let isAvailable = false;
    const attempts: string[] = [];
    await page.route("**/api/v1/changes/stream*", (route) => {
      attempts.push(route.request().url());
      return isAvailable ? route.continue() : route.fulfill({ status: 500 });
    });
    const id = await createAccount({ name: "Before" });
    await open(`/console/accounts/${id}`);
    const reads: string[] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (!pathname.endsWith("/changes/stream")) reads.push(pathname);
    });
    await rename(id, "After");
    expect(await eventually(async () => attempts.length >= 3, true)).toBe(true);
    await idle();
    expect(reads).toEqual([]);
    isAvailable = true;
    await page.getByRole("heading", { level: 1, name: "After" }).waitFor();
  },
  { expected: [/^500 GET \/api\/v1\/changes\/stream$/] },
);

test("the history of an account has the change of somebody else, without a jump of the scroll or the focus", async ({
  page,
  open,
}) => {
  const id = await createAccount({ name: "Watched" });
  await open(`/console/accounts/${id}`);
  await page.getByRole("button", { name: "New contact" }).focus();
  const history = card(page, "History");
  await history.scrollIntoViewIfNeeded();
  const top = await page.evaluate<number>("scrollY");
  await server().request("PATCH", `accounts/${id}`, { mrr: 4321 });
  await history.getByText("4,321").waitFor();
  expect(await page.evaluate<number>("scrollY")).toBe(top);
  expect(await page.evaluate<string>("document.activeElement.textContent")).toBe("New contact");
  expect(await history.locator("li.new").count()).toBe(1);
});

test("the overview and the lists have the changes of somebody else", async ({ page, open }) => {
  await open("/console");
  const created = card(page, "Changes in the last 7 days").getByRole("row", { name: /^Accounts/ });
  const before = await shownText(created);
  const id = await createAccount({ name: "Aaa Live", mrr: 90_000_000 });
  expect(await eventually(async () => (await shownText(created)) !== before, true)).toBe(true);
  const soon = new Date(Date.now() + 60_000).toISOString();
  for (const [path, member, row] of [
    ["contacts", { name: "Aaa Ada" }, "Aaa Ada"],
    ["meetings", { title: "Aaa Review", startAt: soon, endAt: soon }, "Aaa Review"],
    ["requests", { title: "Aaa Wish" }, "Aaa Wish"],
  ] as const) {
    await open(`/console/${path}${path === "contacts" ? "?sortBy=name&sortOrder=asc" : ""}`);
    await server().request("POST", `accounts/${id}/${path}`, member);
    await page.getByText(row).first().waitFor();
  }
  await open("/console/accounts?sortBy=name&sortOrder=asc");
  await rename(id, "Aaa Renamed");
  await page.getByRole("link", { name: "Aaa Renamed" }).waitFor();
});

test("nothing moves while a dialog is open, rows are selected or somebody types", async ({
  page,
  open,
  idle,
}) => {
  const id = await createAccount({ name: "Aaa Still" });
  await open("/console/accounts?sortBy=name&sortOrder=asc");
  const reads: string[] = [];
  page.on("request", (request) => reads.push(request.url()));
  await page.getByLabel("Select Aaa Still").check();
  // The page may have been reading the score of the new account.
  await idle();
  reads.length = 0;
  await rename(id, "Aaa Moved");
  await page.waitForTimeout(1_500);
  expect(reads).toEqual([]);
  await page.getByLabel("Select Aaa Still").uncheck();
  await page.getByRole("link", { name: "Aaa Moved" }).waitFor();
  await page.getByRole("button", { name: "Create account" }).click();
  await idle();
  reads.length = 0;
  await rename(id, "Aaa Again");
  await page.waitForTimeout(1_500);
  expect(reads).toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Aaa Again" }).waitFor();
  await idle();
  reads.length = 0;
  const type = () => page.evaluate("void dispatchEvent(new Event('input'))");
  await type();
  await rename(id, "Aaa Typed");
  await type();
  await page.waitForTimeout(1_000);
  expect(reads).toEqual([]);
  await page.getByRole("link", { name: "Aaa Typed" }).waitFor();
});

test("a change that the tab made is not read twice", async ({ page, open, idle }) => {
  const streamBegan = page.waitForResponse(/\/changes\/stream$/);
  await open("/console/accounts/7");
  // If it began late, the page is read again.
  await streamBegan;
  await page.waitForTimeout(1_000);
  await idle();
  const reads: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() === "GET" && pathname === "/api/v1/accounts/7/history") reads.push(pathname);
  });
  await page.getByRole("button", { name: "Edit account" }).click();
  const dialog = dialogOf(page, "Edit account");
  await dialog.getByLabel("Name", { exact: true }).fill("Renamed here");
  await save(dialog);
  await dialog.waitFor({ state: "detached" });
  await idle();
  await page.waitForTimeout(1_500);
  expect(reads).toHaveLength(1);
});

test("when the session ends, an open page says so within seconds, and keeps what was typed", async ({
  page,
  context,
  open,
}) => {
  await open("/console/accounts");
  await page.getByRole("button", { name: "Create account" }).click();
  const form = page.getByRole("dialog", { name: "Create account" });
  await form.getByLabel("Name", { exact: true }).fill("Typed");
  const [cookie] = await context.cookies();
  await fetch(`${server().url}/console/session`, {
    method: "DELETE",
    headers: { "x-accountd-console": "1", cookie: `${cookie?.name}=${cookie?.value}` },
  });
  const change = page.getByRole("dialog", { name: "The session has changed" });
  await change.getByText("The session has ended").waitFor();
  await page.keyboard.press("Escape");
  expect(await form.getByLabel("Name", { exact: true }).inputValue()).toBe("Typed");
});
