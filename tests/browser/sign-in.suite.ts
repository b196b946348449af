import { expect } from "bun:test";
import type { BrowserContext } from "playwright-core";
import { consoleSuite } from "./suite.ts";

const { server, test, newContext } = consoleSuite();

/** The token in the cookie of the session. */
async function tokenOf(context: BrowserContext): Promise<string | undefined> {
  const cookies = await context.cookies();
  return cookies.find(({ name }) => name === "accountd_session")?.value;
}

test(
  "a key in the first input and Enter sign in, with a new cookie that scripts cannot read",
  async ({ page, context, open, idle }) => {
    await open("/console/accounts?search=energy");
    expect(await page.title()).toBe("Sign in – accountd");
    await page.locator("input").first().fill(server().key);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Accounts", level: 1 }).waitFor();
    await idle();
    expect(page.url()).toEndWith("/console/accounts?search=energy");
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ name: "accountd_session", httpOnly: true, sameSite: "Strict", path: "/" });
    expect(await page.evaluate<string>("document.cookie")).toBe("");
    expect(
      await page.evaluate<string>("JSON.stringify({ ...localStorage, ...sessionStorage })"),
    ).not.toContain(server().key);
  },
  { key: null },
);

test(
  "the sign-in page has the mark, and says who gives a key, and to operators how they create one",
  async ({ page, open }) => {
    await open("/console");
    const mark = await page.locator("img.mark").getAttribute("src");
    expect(await page.locator("link[rel=icon]").getAttribute("href")).toBe(mark);
    expect(await page.evaluate<number>("document.querySelector('img.mark').naturalWidth")).toBeGreaterThan(0);
    await page.getByText("Ask the person who runs accountd in your company").waitFor();
    await page.getByText("You run accountd?").click();
    await page.getByText("accountd keys create --organization NAME").waitFor();
  },
  { key: null },
);

test(
  "a wrong key shows the problem and keeps the focus in the input",
  async ({ page, open }) => {
    await open("/console");
    await page.locator("input").first().fill("ak_wrong");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    expect(await page.evaluate<string>("document.activeElement.name")).toBe("key");
    expect(await page.locator("nav").count()).toBe(0);
  },
  { key: null, expected: [/^401 POST \/console\/session$/] },
);

test(
  "the link of the quickstart signs in once; the second use shows the problem",
  async ({ page, newPage, context }) => {
    const { link } = server();
    await page.goto(link);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(page.url()).toEndWith("/console");
    expect(await tokenOf(context)).toMatch(/^1\./);
    const other = await newContext({ key: null });
    const second = await newPage(other);
    await second.goto(link);
    await second.getByRole("alert").waitFor();
    expect(await second.locator("input").first().getAttribute("name")).toBe("key");
    expect(second.url()).not.toContain("link=");
    await other.close();
  },
  { key: null, expected: [/^401 POST \/console\/session$/] },
);

test("sign-out ends the session; the back button shows the sign-in page", async ({
  page,
  open,
  idle,
  context,
}) => {
  const token = (await tokenOf(context)) ?? "";
  await open("/console/accounts/5");
  await page.locator(".menu summary").click();
  await page.getByRole("link", { name: "Keys" }).click();
  await page.getByRole("heading", { name: "Keys" }).waitFor();
  await idle();
  await page.goto("about:blank");
  await open("/console");
  await page.locator(".menu summary").click();
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.locator("input[name=key]").waitFor();
  expect(await tokenOf(context)).toBeUndefined();
  for (let i = 0; i < 3; i += 1) {
    await page.goBack();
    if (page.url() === "about:blank") continue;
    await page.locator("input[name=key]").waitFor();
    expect(await page.locator("nav, table").count()).toBe(0);
    expect(await page.content()).not.toContain("Tesla");
  }
  const cookie = `accountd_session=${token}`;
  const reply = await fetch(`${server().url}/console/session`, { headers: { cookie } });
  expect(await reply.json()).toEqual({ data: null });
});

test(
  "sign-out everywhere ends the session of another browser at its next request",
  async ({ page, open, newPage }) => {
    const other = await newContext({});
    const second = await newPage(other);
    await second.goto(`${server().url}/console/accounts`);
    await second.getByRole("heading", { name: "Accounts", level: 1 }).waitFor();
    await open("/console");
    await page.locator(".menu summary").click();
    await page.getByRole("button", { name: "Sign out everywhere" }).click();
    await page.locator("input[name=key]").waitFor();
    await second.getByRole("link", { name: "Pending events" }).click();
    await second.locator("input[name=key]").waitFor();
    await other.close();
  },
  { expected: [/^401 GET \/api\/v1\/events\/unmatched$/] },
);

test(
  "a key that no page can use is rejected, with the scope that is needed",
  async ({ page, open }) => {
    const key = await server().createKey("Sender", ["events"]);
    await open("/console");
    await page.getByLabel("API key").fill(key);
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("The console needs a key with the scope read").waitFor();
    expect(await tokenOf(page.context())).toBeUndefined();
  },
  { key: null, expected: [/^403 POST \/console\/session$/] },
);
