import { beforeAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { consoleSuite } from "./suite.ts";

const { server, test, setSession } = consoleSuite();

/** A key of another organization, which has one account. */
let otherKey = "";
/** What only a page of the first organization has: its names, and the name of its key in the menu. */
const foreign = ["Quickstart", "Tesla", "quickstart <code>", "first-unmatched", "firstAttribute"];

beforeAll(async () => {
  otherKey = await server().createOrganization("Other");
  await server().request("POST", "accounts", { name: "Only one", mrr: 5 }, otherKey);
  await server().request("PATCH", "accounts/5", { attributes: { firstAttribute: "Tesla" } });
  const event = { event: "first.event", externalId: "first-unmatched", userId: "u" };
  await server().request("POST", "events", { events: [event] });
});

const signInByForm = async (page: Page, key: string) => {
  await page.locator("input[name=key]").fill(key);
  await page.keyboard.press("Enter");
  await page.getByRole("navigation", { name: "Pages", exact: true }).waitFor();
};
const signOut = async (page: Page) => {
  await page.locator(".menu summary").click();
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.locator("input[name=key]").waitFor();
};

async function expectNothingForeign(page: Page): Promise<void> {
  const content = await page.content();
  expect(foreign.filter((name) => content.includes(name))).toEqual([]);
}

test("no page of an organization has data of another", async ({ page, context, open }) => {
  await setSession(context, await server().signIn(otherKey));
  for (const path of [
    "",
    "/accounts",
    "/contacts",
    "/meetings",
    "/requests",
    "/unmatched",
    "/import",
    "/keys",
  ]) {
    await open(`/console${path}`);
    await expectNothingForeign(page);
  }
  for (const text of ["tesla", "finance"]) {
    await page.keyboard.press("Control+k");
    await page.keyboard.type(text);
    await page.getByText(`Nothing matches “${text}”.`).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
  await open("/console/accounts");
  expect(await page.locator("tbody th a").allInnerTexts()).toEqual(["Only one"]);
  await page.locator("summary").getByText("Columns", { exact: true }).click();
  expect(await page.locator("summary").getByText("Attribute", { exact: true }).count()).toBe(0);
});

test(
  "an id of another organization in the address is not found",
  async ({ page, context, open }) => {
    await setSession(context, await server().signIn(otherKey));
    await open("/console/accounts/5");
    await page.getByRole("heading", { name: "Account not found" }).waitFor();
    await expectNothingForeign(page);
  },
  { expected: [/^404 GET \/api\/v1\/accounts\/5$/] },
);

const rejected = "This browser has signed in with another key since. Reload the page.";

test(
  "a tab whose cookie is swapped shows no data of the other organization, and Reload opens it",
  async ({ page, context, open, idle }) => {
    await open("/console/accounts/5");
    await setSession(context, await server().signIn(otherKey));
    await page.getByRole("link", { name: "Pending events" }).click();
    await page.getByRole("dialog").getByText(rejected).waitFor();
    expect(await page.locator(".menu summary").textContent()).not.toBe("Other");
    expect(await page.content()).not.toContain("Every event belongs to an account");
    await page.getByRole("dialog").getByRole("button", { name: "Reload" }).click();
    await page.getByText("Every event belongs to an account").waitFor();
    await idle();
    expect(await page.locator(".menu summary").textContent()).toBe("Other");
    await expectNothingForeign(page);
  },
  { expected: [/^401 GET \/api\/v1\/(events\/unmatched|accounts.*)$/] },
);

test(
  "a tab of an organization stores nothing after another tab has signed in to another",
  async ({ page, open, newPage, idle }) => {
    const countOf = async (key: string) => {
      const response = await server().send("GET", "accounts?search=Misplaced", undefined, key);
      return ((await response.json()) as { pagination: { total: number } }).pagination.total;
    };
    await open("/console/accounts");
    await page.getByRole("button", { name: "Create account" }).click();
    const form = page.getByRole("dialog", { name: "Create account" });
    await form.getByLabel("Name", { exact: true }).fill("Misplaced");

    const other = await newPage();
    await other.goto(`${server().url}/console/accounts`);
    await idle();
    await signOut(other);
    const change = page.getByRole("dialog", { name: "The session has changed" });
    await change.getByText("This browser has signed out since.").waitFor();
    await signInByForm(other, otherKey);
    await change.getByText(rejected).waitFor();
    await page.keyboard.press("Escape");
    await change.waitFor({ state: "hidden" });

    await form.getByRole("button", { name: "Create account" }).click();
    await change.getByText(rejected).waitFor();
    expect([await countOf(server().key), await countOf(otherKey)]).toEqual([0, 0]);
    await change.getByRole("button", { name: "Reload" }).click();
    await page.locator(".menu summary").getByText("Other", { exact: true }).waitFor();
  },
  { expected: [/^401 POST \/api\/v1\/accounts$/] },
);

test(
  "an import ends when another tab signs in to another organization",
  async ({ page, context, open, newPage }) => {
    const rows = Array.from({ length: 2_000 }, (_, i) => `moved-${i},Moved ${i}`);
    await open("/console/import");
    await page.locator("input[type=file]").setInputFiles({
      name: "moved.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(["externalId,name", ...rows].join("\n")),
    });
    const sent = Promise.withResolvers<void>();
    const signedIn = Promise.withResolvers<void>();
    // The first part of the import waits for the sign-in of the other tab.
    await context.route("**/api/v1/accounts/batch", async (route) => {
      sent.resolve();
      await signedIn.promise;
      await route.continue();
    });
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await sent.promise;
    const other = await newPage();
    await setSession(context, await server().signIn(otherKey));
    await other.goto(`${server().url}/console`);
    signedIn.resolve();
    await page.getByRole("dialog").getByText(rejected).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("alert").getByText(rejected).waitFor();
    const response = await server().send("GET", "accounts?search=Moved", undefined, otherKey);
    expect(await response.json()).toMatchObject({ pagination: { total: 0 } });
  },
  { expected: [/^401 POST \/api\/v1\/accounts\/batch$/] },
);

test(
  "after a sign-in with another organization's key, nothing of the first is left on the page",
  async ({ page, open, idle }) => {
    await open("/console/accounts");
    await page.getByRole("button", { name: "Next" }).click();
    await idle();
    await signOut(page);
    await signInByForm(page, otherKey);
    await idle();
    expect(await page.locator("tbody th a").allInnerTexts()).toEqual(["Only one"]);
    await expectNothingForeign(page);
    await page.goBack();
    await idle();
    await expectNothingForeign(page);
  },
  // The cursor of the first organization.
  { expected: [/^400 GET \/api\/v1\/accounts$/] },
);

test("a page that the browser restores after the session ended shows the sign-in page", async ({
  page,
  context,
  open,
  idle,
  newPage,
}) => {
  await open("/console/accounts/5");
  await page.goto("about:blank");
  const other = await newPage();
  await other.goto(`${server().url}/console/keys`);
  await other.getByRole("heading", { name: "Keys" }).waitFor();
  await idle();
  await signOut(other);
  expect(await context.cookies()).toEqual([]);
  await page.goBack();
  await page.locator("input[name=key]").waitFor();
  await expectNothingForeign(page);
});
