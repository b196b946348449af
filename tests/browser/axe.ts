import type { Page } from "playwright-core";

/** What axe-core found on a page, in one line each. */
type Finding = { impact: string; text: string };

type AxeResult = {
  violations: { id: string; impact: string; help: string; nodes: { target: unknown[] }[] }[];
};

const script = await Bun.file(Bun.resolveSync("axe-core/axe.min.js", import.meta.dir)).text();
/** A modal dialog by itself: the rest of the page is behind it. Of the rules, only the contrast depends on the scheme. */
const runOf = (colorScheme: "light" | "dark") =>
  `axe.run(document.querySelector('dialog[open]') ?? document, { resultTypes: ['violations']${
    colorScheme === "dark" ? ", runOnly: ['color-contrast']" : ""
  } })`;

/** Checks the page in one colour scheme. */
async function checkPage(page: Page, colorScheme: "light" | "dark"): Promise<Finding[]> {
  await page.emulateMedia({ colorScheme });
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(`${script};0`);
  const { violations } = await page.evaluate<AxeResult>(runOf(colorScheme));
  return violations.map(({ id, impact, help, nodes }) => ({
    impact,
    text: `${colorScheme}: ${id}: ${help}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`,
  }));
}

/** The serious and critical findings in both colour schemes. */
export async function seriousFindings(page: Page): Promise<string[]> {
  const findings = [...(await checkPage(page, "light")), ...(await checkPage(page, "dark"))];
  return findings
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ text }) => text);
}
