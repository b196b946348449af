import { afterAll, beforeAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { consoleSuite } from "./suite.ts";

const { server, test } = consoleSuite();

/** A site of an attacker at another port of the same host: the browser sends cookies of SameSite=Strict there. */
let site: Bun.Server<undefined>;
beforeAll(() => {
  const html = { headers: { "content-type": "text/html" } };
  site = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) => {
      const { pathname, searchParams } = new URL(url);
      const target = `${server().url}${searchParams.get("path") ?? "/console"}`;
      const form = `<form method="post" enctype="text/plain" action="${target}">
        <input name='{"name":"Forged","x":"' value='"}'><button></form>`;
      if (pathname === "/frame") return new Response(`<iframe src="${target}"></iframe>`, html);
      if (pathname === "/form") return new Response(form, html);
      return new Response("<!doctype html><title>Other</title>", html);
    },
  });
});
afterAll(() => site.stop(true));

/** Opens a page of the site in the context of the session, whose faults are those of the attacker. */
async function openSite(page: Page, path: string): Promise<Page> {
  const opened = await page.context().newPage();
  await opened.goto(`${site.url.origin}${path}`);
  return opened;
}
/** Sends the form of the site to a path of the server, and returns the status. */
async function sendForm(page: Page, path: string): Promise<number> {
  const form = await openSite(page, `/form?path=${path}`);
  const [response] = await Promise.all([
    form.waitForEvent("response", (reply) => reply.url().includes(path)),
    form.locator("button").click(),
  ]);
  // Chromium may never close a page that is closed between the response and its load.
  await form.waitForLoadState();
  await form.close();
  return response.status();
}
const countAccounts = async () =>
  (await (await server().send("GET", "accounts?page=1&pageSize=1")).text()).match(/"total":(\d+)/)?.[1];

test("a frame of another origin shows nothing of the console", async ({ page }) => {
  for (const path of ["/console", "/console/accounts", "/docs"]) {
    const attacker = await openSite(page, `/frame?path=${path}`);
    await Bun.sleep(300);
    const frames = attacker.frames().slice(1);
    const contents = await Promise.all(frames.map((frame) => frame.content().catch(() => "")));
    expect(contents.join("")).not.toMatch(/id="console"|accountd|swagger|scalar/i);
    await attacker.close();
  }
});

test("a page of another origin cannot write with the cookie", async ({ page }) => {
  const before = await countAccounts();
  const attacker = await openSite(page, "/");
  const attempt = (headers: object, mode: string) =>
    attacker.evaluate<string>(`fetch("${server().url}/api/v1/accounts", {
      method: "POST", credentials: "include", mode: "${mode}", signal: AbortSignal.timeout(5000), headers: ${JSON.stringify(headers)},
      body: '{"name":"Forged"}' }).then((reply) => String(reply.status), () => "blocked")`);
  const json = { "content-type": "application/json" };
  expect(await attempt({ ...json, "x-accountd-console": "1" }, "cors")).toBe("blocked");
  expect(await attempt(json, "cors")).toBe("blocked");
  // Sent without a preflight; the page cannot read the reply.
  expect(await attempt({ "content-type": "text/plain" }, "no-cors")).toBe("0");
  await attacker.close();
  expect(await sendForm(page, "/api/v1/accounts")).toBe(401);
  expect(await countAccounts()).toBe(before);
});

test("a page of another origin cannot read with the cookie", async ({ page }) => {
  const attacker = await openSite(page, "/");
  for (const path of ["/api/v1/accounts", "/console/session", "/console"])
    expect(
      await attacker.evaluate<string>(
        `fetch("${server().url}${path}", { credentials: "include" }).then((reply) => reply.text(), () => "blocked")`,
      ),
    ).toBe("blocked");
  await attacker.close();
});

test("a page of another origin cannot sign in or out", async ({ page, context }) => {
  const cookies = await context.cookies();
  expect(await sendForm(page, "/console/session")).toBeGreaterThanOrEqual(400);
  const attacker = await openSite(page, "/");
  expect(
    await attacker.evaluate<string>(
      `fetch("${server().url}/console/session", { method: "DELETE", credentials: "include" })
        .then((reply) => String(reply.status), () => "blocked")`,
    ),
  ).toBe("blocked");
  await attacker.close();
  expect(await context.cookies()).toEqual(cookies);
  await page.goto(`${server().url}/console`);
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
});

test("a window that another origin opens is out of its reach", async ({ page }) => {
  const attacker = await openSite(page, "/");
  const [opened] = await Promise.all([
    attacker.waitForEvent("popup"),
    attacker.evaluate(`void (globalThis.opened = open("${server().url}/console"))`),
  ]);
  await opened.getByRole("navigation", { name: "Pages" }).waitFor();
  expect(await opened.evaluate<boolean>("opener === null")).toBe(true);
  expect(await attacker.evaluate<boolean>("opened.closed")).toBe(true);
  await opened.close();
  await attacker.close();
});
