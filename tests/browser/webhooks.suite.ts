import { afterAll, beforeAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { Webhook } from "standardwebhooks";
import { card, dialogOf, eventually, save, shownText } from "./page-text.ts";
import { consoleSuite } from "./suite.ts";

const { server, test, visit, createAccount } = consoleSuite();

type Received = { headers: Record<string, string>; body: string };
const received: Received[] = [];
/** The status of the receiver's responses. */
let status = 200;
let receiver: Bun.Server<undefined>;
beforeAll(() => {
  receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      received.push({ headers: request.headers.toJSON(), body: await request.text() });
      return new Response(status === 200 ? "stored" : "busy", { status });
    },
  });
});
afterAll(() => receiver.stop(true));
const address = () => `http://127.0.0.1:${receiver.port}/changes`;

type StoredWebhook = { id: number; url: string; types: string[] | null; format: string; active: boolean };
const createWebhook = (settings: object = {}) =>
  server().request<StoredWebhook>("POST", "webhooks", { url: address(), ...settings });
const readWebhook = (id: number) => server().request<StoredWebhook>("GET", `webhooks/${id}`);
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const openMore = (page: Page) => page.locator("main summary").getByText("More", { exact: true }).click();

test("a webhook is created with its types, its secret is shown once, and a test is signed with it", async ({
  page,
  open,
  idle,
}) => {
  await open("/console");
  await page.locator(".menu summary").click();
  await page.getByRole("link", { name: "Webhooks" }).click();
  await page.getByText("There is no webhook yet").waitFor();
  await press(page, "Create webhook");
  const form = dialogOf(page, "Create webhook");
  await form.getByLabel("Address").fill(address());
  await form.getByLabel("Description").fill("Health channel");
  await form.getByRole("checkbox", { name: "All changes" }).uncheck();
  await form.getByLabel("Health tier changed").check();
  await form.getByRole("group", { name: "Contacts" }).getByLabel("Created").check();
  await form.getByRole("button", { name: "Create webhook" }).click();
  const shown = dialogOf(page, "Secret of the webhook");
  const secret = await shown.getByLabel("Secret", { exact: true }).inputValue();
  expect(secret).toMatch(/^whsec_/);
  await page.keyboard.press("Escape");
  await shown.getByRole("button", { name: "Done" }).click();
  await shown.waitFor({ state: "detached" });
  await idle();
  expect(await page.content()).not.toContain(secret);
  const row = page.getByRole("row").filter({ hasText: "Health channel" });
  expect(await shownText(row)).toContain("Account health tier changed, Contact created");
  await row.getByRole("link").click();
  await page.getByRole("heading", { level: 1, name: "Health channel" }).waitFor();
  const [id] = new URL(page.url()).searchParams.getAll("id");
  expect(await readWebhook(Number(id))).toMatchObject({
    ...{ url: address(), format: "accountd", active: true },
    types: ["account.health_changed", "contact.created"],
  });

  await press(page, "Send test");
  await dialogOf(page, "Test").getByText("The address accepted the sample.").waitFor();
  const { headers, body } = received.at(-1) ?? { headers: {}, body: "" };
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: "webhook.test" });
  status = 503;
  await press(page, "Send again");
  await dialogOf(page, "Test").getByText("The sample was not accepted.").waitFor();
  expect(await shownText(dialogOf(page, "Test"))).toMatch(/HTTP 503 · [\d,]+ ms\s+busy/);
  status = 200;
});

test(
  "an address that the API rejects is named at its field, and the types need a choice",
  async ({ page, open }) => {
    await open("/console/webhooks");
    await press(page, "Create webhook");
    const form = dialogOf(page, "Create webhook");
    await form.getByLabel("Address").fill("https://10.0.0.1/changes");
    await form.getByRole("checkbox", { name: "All changes" }).uncheck();
    await form.getByRole("button", { name: "Create webhook" }).click();
    const isValid = "document.querySelector('dialog form').checkValidity()";
    expect(await page.evaluate<boolean>(isValid)).toBe(false);
    await form.getByRole("checkbox", { name: "All changes" }).check();
    await form.getByRole("button", { name: "Create webhook" }).click();
    await form.locator("#problem-url").waitFor();
    expect(await shownText(form.locator("#problem-url"))).toStartWith("Address ");
    expect(await page.evaluate<string>("document.activeElement.name")).toBe("url");
  },
  { expected: [/^400 POST \/api\/v1\/webhooks$/] },
);

test("an address of Slack selects its format until another one is chosen, and no secret is shown", async ({
  page,
  open,
  idle,
}) => {
  await open("/console/webhooks");
  await press(page, "Create webhook");
  const form = dialogOf(page, "Create webhook");
  const format = form.getByLabel("Format");
  await form.getByLabel("Address").fill("https://hooks.slack.com/services/T0/B0/selected");
  expect(await format.inputValue()).toBe("slack");
  await form.getByLabel("Address").fill("https://example.com/changes");
  expect(await format.inputValue()).toBe("accountd");
  await format.selectOption("CloudEvents 1.0");
  await form.getByLabel("Address").fill("https://hooks.slack.com/services/T0/B0/selected");
  expect(await format.inputValue()).toBe("cloudevents");
  await format.selectOption("Slack message");
  await form.getByRole("checkbox", { name: "All changes" }).uncheck();
  for (const group of ["Contacts", "Meetings"])
    for (const label of ["Created", "Deleted"])
      await form.getByRole("group", { name: group }).getByLabel(label).check();
  await form.getByRole("button", { name: "Create webhook" }).click();
  await form.waitFor({ state: "detached" });
  await idle();
  expect(await page.getByRole("dialog").count()).toBe(0);
  const row = page.getByRole("row").filter({ hasText: "T0/B0/selected" });
  expect(await shownText(row)).toContain("Contact created, Contact deleted +2");
  const stored = await server().request<StoredWebhook[]>("GET", "webhooks");
  const created = stored.find(({ url }) => url.endsWith("/selected"));
  expect(created).toMatchObject({ format: "slack" });
  // Its address is not reached from here.
  await server().request("DELETE", `webhooks/${created?.id}`);
});

test("a webhook is edited, paused, resumed, gets another secret, and is deleted", async ({
  page,
  open,
  idle,
}) => {
  const { id } = await createWebhook({ description: "Edited" });
  await open(`/console/webhooks?id=${id}`);
  await press(page, "Edit");
  const form = dialogOf(page, "Edit webhook");
  await form.getByLabel("Format").selectOption("Slack message");
  await save(form);
  await page.getByText("Slack message").waitFor();
  expect(await readWebhook(id)).toMatchObject({ format: "slack", types: null });
  await press(page, "Pause");
  await page.getByRole("button", { name: "Resume" }).waitFor();
  expect((await readWebhook(id)).active).toBe(false);
  await press(page, "Resume");
  await page.getByRole("button", { name: "Pause" }).waitFor();
  expect((await readWebhook(id)).active).toBe(true);
  await openMore(page);
  await press(page, "Replace secret");
  await dialogOf(page, "Replace secret").getByRole("button", { name: "Replace secret" }).click();
  const shown = dialogOf(page, "Secret of the webhook");
  expect(await shown.getByLabel("Secret", { exact: true }).inputValue()).toMatch(/^whsec_/);
  await shown.getByRole("button", { name: "Done" }).click();
  await page.getByText("Requests are also signed with the secret before").waitFor();
  await openMore(page);
  await press(page, "Delete webhook");
  await dialogOf(page, "Delete webhook").getByRole("button", { name: "Delete webhook" }).click();
  await page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor();
  await idle();
  expect(await page.getByText("Edited").count()).toBe(0);
  expect((await server().send("GET", `webhooks/${id}`)).status).toBe(404);
});

test("a delivery is shown with its response, and one that failed is retried", async ({
  page,
  open,
  idle,
}) => {
  status = 503;
  const { id } = await createWebhook({ description: "Delivered", types: ["account.created"] });
  const accountId = await createAccount({ name: "Delivered Inc." });
  await open(`/console/webhooks?id=${id}`);
  const row = page.locator("table.deliveries tbody tr");
  const refresh = async () => {
    await press(page, "Refresh");
    await idle();
    return shownText(row);
  };
  expect(await eventually(async () => (await refresh()).includes("HTTP 503"), true)).toBe(true);
  expect(await shownText(row)).toMatch(/^Account created \d+\s+Delivered Inc\.\s+Waiting\s+1\s/);
  await row.locator("summary").click();
  expect(await shownText(row.getByRole("region", { name: "Response text" }))).toBe("busy");
  expect(await row.getByRole("link").getAttribute("href")).toBe(`/console/accounts/${accountId}`);
  status = 200;
  await row.getByRole("button", { name: /^Retry delivery/ }).click();
  await page.getByText("It is due now, after the deliveries before it").waitFor();
  expect(await eventually(async () => (await refresh()).includes("Delivered\t1\t"), true)).toBe(true);
  expect(await row.getByRole("button").count()).toBe(0);
  await page.getByLabel("Status").selectOption("Failed");
  await page.getByText("No failed deliveries").waitFor();
  await page.getByText("A delivery has failed after its last attempt").waitFor();
});

test("a webhook is shown as failing with its latest error, until its endpoint accepts the change", async ({
  page,
  open,
  idle,
}) => {
  status = 503;
  const { id } = await createWebhook({ description: "Refused", types: ["account.created"] });
  await createAccount({ name: "Refused Inc." });
  const read = () => server().request<{ retryingCount: number }>("GET", `webhooks/${id}`);
  const countRetrying = async () => (await read()).retryingCount;
  expect(await eventually(countRetrying, 1)).toBe(1);
  await open("/console/webhooks");
  const row = page.getByRole("row").filter({ hasText: "Refused" });
  expect(await shownText(row)).toMatch(/\sFailing\s/);
  await row.getByRole("link").click();
  await page.getByText(/Latest error: HTTP 503 · [\d,]+ ms\.$/).waitFor();
  await idle();
  const facts = card(page, "Webhooks");
  expect(await shownText(facts)).toMatch(
    /^1 delivery was not accepted so far, and will be attempted again\. /,
  );
  expect(await shownText(facts)).toMatch(/\nFailing\n/);
  status = 200;
  const [delivery] = await server().request<{ id: number }[]>("GET", `webhooks/${id}/deliveries`);
  await server().request("POST", `webhooks/${id}/deliveries/${delivery?.id}/retry`);
  expect(await eventually(countRetrying, 0)).toBe(0);
  await press(page, "Refresh");
  await page.getByText(/^1 delivery was not accepted/).waitFor({ state: "detached" });
  expect(await shownText(facts)).toMatch(/\nActive\n/);
});

test("changes since a time are delivered again", async ({ page, open }) => {
  const { id } = await createWebhook({ description: "Again" });
  await server().request("PATCH", `webhooks/${id}`, { active: false });
  await open(`/console/webhooks?id=${id}`);
  const replay = async (since: string) => {
    await openMore(page);
    await press(page, "Deliver again");
    const dialog = dialogOf(page, "Deliver again");
    await dialog.getByLabel("Deliver all changes since").fill(since);
    await dialog.getByRole("button", { name: "Deliver again" }).click();
    return dialog;
  };
  const none = await replay("2999-01-01T00:00");
  await none.getByText("There was no change since then.").waitFor();
  await page.keyboard.press("Escape");
  await dialogOf(page, "Discard").getByRole("button", { name: "Discard" }).click();
  await replay("2020-01-01T00:00");
  await page.getByText("Changes after number 0 are delivered again").waitFor();
  expect(await server().request<object>("GET", `webhooks/${id}`)).toMatchObject({ position: 0 });
});

test(
  "a webhook that was deleted is not found",
  async ({ page, open }) => {
    await open("/console/webhooks?id=999");
    await page.getByRole("heading", { name: "Webhook not found" }).waitFor();
  },
  { expected: [/^404 GET \/api\/v1\/webhooks\/999/] },
);

test("a key with the scope admin alone has the webhooks, without a replay", async () => {
  const { id } = await createWebhook({ description: "Seen by admins" });
  const key = await server().createKey("Admin", ["admin"]);
  await visit({ key }, async ({ page, open }) => {
    await open(`/console/webhooks?id=${id}`);
    await openMore(page);
    expect(await page.locator("main details").getByRole("button").allInnerTexts()).toEqual([
      "Replace secret",
      "Delete webhook",
    ]);
  });
});
