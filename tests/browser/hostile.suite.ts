import { beforeAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { consoleSuite } from "./suite.ts";

const { server, test } = consoleSuite();

/** Markup that would run a script, if it were read as markup, in texts, attributes, URLs and templates. */
const payloads = [
  `<img src=x onerror="window.isRun=1">`,
  `"><script>window.isRun=1</script>`,
  `'" autofocus onfocus="window.isRun=1" x="`,
  `javascript:window.isRun=1`,
  `</title><svg onload=window.isRun=1>`,
  `{{constructor.constructor("window.isRun=1")()}}`,
] as const;
const [image, script, attribute, address, drawing, template] = payloads;

let accountId = 0;
let organizationKey = "";

beforeAll(async () => {
  const { request, createOrganization } = server();
  organizationKey = await createOrganization(`Org ${image}`);
  const send = <Data = { id: number }>(method: string, path: string, body: object) =>
    request<Data>(method, path, { ...body }, organizationKey);
  const account = await send("POST", "accounts", {
    name: `A ${script}`,
    externalId: image,
    mrr: 10_000,
    attributes: { plan: script, note: address, long: "W".repeat(200) },
  });
  accountId = account.id;
  for (const [i, payload] of payloads.entries())
    await send("POST", "accounts", {
      name: payload,
      externalId: `${payload}${i}`,
      attributes: { plan: payload },
    });
  await send("PATCH", `accounts/${accountId}`, {
    name: `B ${drawing}`,
    logoUrl: `https://x.example/"${image}`,
  });
  await send("PATCH", `accounts/${accountId}`, { attributes: { plan: attribute } });
  for (const email of [
    "a?subject=x&bcc=y@x.example",
    "'onclick='alert`1`'@x.example",
    "a%22b{{1}}@x.example",
  ])
    await send("POST", `accounts/${accountId}/contacts`, { name: image, email });
  await send("POST", `accounts/${accountId}/contacts`, {
    name: script,
    externalId: attribute,
    attributes: { role: template },
  });
  const now = Date.now();
  const times = { startAt: new Date(now - 7_200_000), endAt: new Date(now - 3_600_000) };
  await send("POST", `accounts/${accountId}/meetings`, { title: image, externalId: script, ...times });
  await send("POST", `accounts/${accountId}/requests`, { title: script, externalId: image, severity: 5 });
  const events = payloads.flatMap((payload) => [
    { event: payload, externalId: image, userId: payload },
    { event: payload, externalId: `unmatched ${payload}`, userId: payload },
  ]);
  await send("POST", "events", { events });
  for (const payload of payloads) await send("POST", "keys", { name: payload, scopes: ["read"] });
});

/** Elements that only data could have made, and links of schemes that run scripts. */
const intruders = `[...document.querySelectorAll(
  "img:not(.logo > img, img.mark), script:not([src^='/console/assets/']), iframe, object, embed, [onerror], [onload], [onfocus]")]
  .map((element) => element.outerHTML)
  .concat([...document.links].map((link) => link.href)
    .filter((href) => !/^(https?:|mailto:)/.test(href) || /^mailto:.*[?&]/.test(href)))`;

async function expectHarmless(page: Page): Promise<void> {
  expect(await page.evaluate<unknown>("window.isRun")).toBeUndefined();
  expect(await page.evaluate<string[]>(intruders)).toEqual([]);
}

const asHostile = (title: string, use: Parameters<typeof test>[1]) =>
  test(title, async (visit) => {
    const { hostname } = new URL(server().url);
    const value = await server().signIn(organizationKey);
    await visit.context.clearCookies();
    await visit.context.addCookies([{ name: "accountd_session", value, domain: hostname, path: "/" }]);
    await use(visit);
  });

asHostile("names, ids, attributes and events are texts on every page", async ({ page, open, idle }) => {
  for (const path of [
    "",
    "/accounts",
    `/accounts/${accountId}`,
    `/accounts/${accountId}?days=90`,
    "/contacts",
    "/meetings",
    "/requests",
    "/unmatched",
    "/keys",
  ]) {
    await open(`/console${path}`);
    await expectHarmless(page);
  }
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("isRun");
  await page.getByRole("option", { name: image }).first().waitFor();
  await expectHarmless(page);
  await open("/console/accounts");
  await page.locator("summary").getByText("Columns", { exact: true }).click();
  for (const name of ["Plan", "Note", "Long"])
    await page.getByRole("checkbox", { name, exact: true }).check();
  await idle();
  await expectHarmless(page);
  expect(await page.locator("tbody th a").allInnerTexts()).toContain(image);
});

asHostile("dialogs have them as texts", async ({ page, open, idle }) => {
  for (const [path, name] of [
    [`/accounts/${accountId}`, "Edit account"],
    [`/accounts/${accountId}`, "Delete account"],
    [`/accounts/${accountId}`, "Edit attributes"],
    [`/accounts/${accountId}`, /^Edit <img/],
    [`/accounts/${accountId}`, /^Delete <img/],
    ["/unmatched", /^Create account: /],
    ["/unmatched", /^Link to account: /],
    ["/keys", /^Revoke /],
  ] as const) {
    await open(`/console${path}`);
    if (name === "Delete account") await page.locator("main summary", { hasText: "More" }).click();
    await page.getByRole("button", { name }).first().click();
    await page.getByRole("dialog").waitFor();
    await idle();
    await expectHarmless(page);
  }
});

asHostile(
  "the tables of plots and of the pointer have the names of events as texts",
  async ({ page, open }) => {
    await open(`/console/accounts/${accountId}`);
    const figure = page.getByRole("figure", { name: "Events by day" });
    await figure.locator(".u-over").hover();
    await figure.locator(".tooltip strong").waitFor();
    await expectHarmless(page);
    await figure.getByRole("button", { name: "Table" }).click();
    await expectHarmless(page);
    expect(await figure.locator("thead th").allInnerTexts()).toContain(image);
  },
);

asHostile("a file with hostile names, headings and cells is text", async ({ page, open, idle }) => {
  await open("/console/import");
  const cells = payloads.map((payload) => `"${payload.replaceAll('"', '""')}"`).join(",");
  const buffer = Buffer.from(`externalId,${cells}\nh1,${cells}\nh2,${cells}\n`);
  await page
    .getByLabel("CSV file")
    .setInputFiles({ name: `${image.replace("/", "")}.csv`, mimeType: "text/csv", buffer });
  await page.getByRole("region", { name: "Preview, table" }).waitFor();
  await expectHarmless(page);
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByText("The import is complete.").waitFor();
  await idle();
  await expectHarmless(page);
});

asHostile("addresses with markup and unknown parameters are harmless", async ({ page, open }) => {
  const text = encodeURIComponent(image);
  for (const path of [
    `/console/accounts?search=${text}`,
    `/console/accounts?search=${encodeURIComponent(address)}&sortBy=constructor&tier=${text}&status=${text}`,
    `/console/accounts?attributes.__proto__=1&attributes.constructor=${text}&mrr%5Bgte%5D=${text}`,
    `/console/unmatched?search=${text}&sortBy=__proto__`,
    `/console/contacts?search=${text}&sortBy=__proto__&seen=constructor`,
    `/console/meetings?search=${text}&${text}=1`,
    `/console/requests?search=${text}&status=${text}&severity=__proto__`,
    `/console/accounts/${accountId}?days=${text}`,
    `/console/accounts/${text}`,
  ]) {
    await open(path);
    await expectHarmless(page);
  }
});

test(
  "a link with markup as its token is harmless",
  async ({ page }) => {
    await page.goto(`${server().url}/console#link=${image}`);
    await page.getByRole("alert").waitFor();
    await expectHarmless(page);
  },
  { key: null, expected: [/^401 POST \/console\/session$/] },
);
