import type { Locator, Page } from "playwright-core";

/** The card with a heading. */
export const card = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

export const dialogOf = (page: Page, name: string | RegExp) => page.getByRole("dialog", { name });

export const save = (dialog: Locator) => dialog.getByRole("button", { name: "Save" }).click();

/** The text as it is shown, of the elements that match. */
export async function shownText(locator: Locator): Promise<string> {
  return (await locator.allInnerTexts()).join("\n").trim();
}

/** The texts of the cells of each row in the body of a table. */
export async function cellsOf(table: Locator): Promise<string[][]> {
  const rows = await table.locator("tbody tr").all();
  return Promise.all(rows.map((row) => row.locator("th, td").allInnerTexts()));
}

/** The value of `read` as soon as it is `expected`, or the last one after some seconds. */
export async function eventually<T>(read: () => Promise<T>, expected: T): Promise<T> {
  const end = performance.now() + 20_000;
  for (;;) {
    const value = await read();
    if (Bun.deepEquals(value, expected) || performance.now() > end) return value;
    await Bun.sleep(50);
  }
}
