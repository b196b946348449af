import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { seriousFindings } from "./axe.ts";
import { unexpectedOf, watchPage } from "./fault-watch.ts";
import { consoleSuite } from "./suite.ts";

const { server, test } = consoleSuite();

/** What the suite reports of a page on which a script did something wrong. */
async function reportOf(page: Page, script: string): Promise<string[]> {
  const opened = await page.context().newPage();
  const watch = watchPage(opened);
  await opened.goto(`${server().url}/console`);
  await opened.getByRole("heading", { name: "Overview" }).waitFor();
  await opened.evaluate(`${script};0`);
  await watch.idle();
  await opened.close();
  return unexpectedOf(watch, []);
}

const markup = (html: string) => `document.body.insertAdjacentHTML("beforeend", ${JSON.stringify(html)})`;

test("the suite reports an inline script, which the policy blocks", async ({ page }) => {
  const script =
    'const s = document.createElement("script"); s.text = "window.isRun = 1"; document.body.append(s)';
  const faults = await reportOf(page, `${script}; if (window.isRun) throw new Error("it ran")`);
  expect(faults.join()).toContain("CSP report: script-src-elem inline");
});

test("the suite reports a handler in markup, which the policy blocks", async ({ page }) => {
  const faults = await reportOf(page, markup(`<img src="data:," onerror="alert(1)">`));
  expect(faults.join()).toContain("CSP report: script-src-attr inline");
  expect(faults.join()).not.toContain("dialog");
});

test("the suite reports an image of another address, which the policy blocks", async ({ page }) => {
  const faults = await reportOf(page, markup(`<img src="http://127.0.0.1:9/x.png">`));
  expect(faults.join()).toContain("CSP report: img-src http://127.0.0.1:9/x.png");
});

test("the suite reports errors, dialogs, messages and problems", async ({ page }) => {
  const script = `setTimeout(() => { throw new Error("of a timer") }); setTimeout(() => alert("shown"));
    console.error("logged"); fetch("/api/v1/accounts/999999", { headers: { "x-accountd-console": "1" } })
      .then((reply) => reply.text())`;
  expect((await reportOf(page, script)).toSorted()).toEqual([
    "404 GET /api/v1/accounts/999999",
    "console: logged",
    "dialog: shown",
    "error: of a timer",
  ]);
});

test("the suite reports an expected problem that does not occur", async ({ page }) => {
  const watch = watchPage(page);
  expect(unexpectedOf(watch, [/^412 /])).toEqual(["missing: /^412 /"]);
});

test("axe-core reports an input without a name and a text without contrast", async ({ page, open }) => {
  await open("/console");
  await page.evaluate(`${markup("<input><p>Hardly visible</p>")};
    document.body.lastElementChild.style.cssText = "color: #888; background: #999"`);
  const findings = (await seriousFindings(page)).join();
  expect(findings).toContain("light: label:");
  expect(findings).toContain("dark: color-contrast:");
});
