import { beforeAll, expect } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { addSamples, places } from "./places.ts";
import { consoleSuite } from "./suite.ts";

const { server, test, visit } = consoleSuite();
const root = join(import.meta.dir, "../..");
/** Kept with a run of the suite, for readers. */
const artefacts = join(root, "dist/screenshots");
const maxImageBytes = 200_000;

/** The account with the most of what a page can show. */
let account = "";
beforeAll(async () => {
  await addSamples(server());
  const [healthy] = await server().request<{ accountId: number }[]>(
    "GET",
    "health?tier=attention&sortBy=mrr&sortOrder=desc&pageSize=1",
  );
  account = `/console/accounts/${healthy?.accountId}`;
});

const sizes = [
  { name: "1280x900", width: 1280, height: 900, colorScheme: "light" },
  { name: "390x844", width: 390, height: 844, colorScheme: "light" },
  { name: "1280x900-dark", width: 1280, height: 900, colorScheme: "dark" },
] as const;

const isUpdated = Bun.env.UPDATE_SCREENSHOTS === "true";

/** Takes an image of the window, or of the whole page, without the values at the pointer. */
async function capture(page: Page, path: string, isWhole = true): Promise<number> {
  await page.mouse.move(0, 0);
  const image = await page.screenshot({ path, fullPage: isWhole, animations: "disabled", caret: "hide" });
  return image.byteLength;
}

for (const { name: size, ...options } of sizes)
  test(
    `screenshots of every page are kept: ${size}`,
    async ({ page, open }) => {
      for (const { name, path } of places) {
        await open(name === "account" ? account : path);
        const image = join(artefacts, `${name}-${size}.png`);
        // The foot of the table stays in the window.
        const isWhole = name !== "accounts";
        expect(await capture(page, image, isWhole)).toBeGreaterThan(5_000);
      }
      await visit({ ...options, key: null }, async (signedOut) => {
        await signedOut.open("/console");
        await capture(signedOut.page, join(artefacts, `sign-in-${size}.png`));
      });
    },
    options,
  );

if (isUpdated)
  test("the screenshot of the README is written", async ({ page, open }) => {
    await open("/console");
    const bytes = await capture(page, join(root, "docs/images/console-overview.png"), false);
    expect(bytes).toBeLessThan(maxImageBytes);
  });
