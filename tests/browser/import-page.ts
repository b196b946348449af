import type { Page } from "playwright-core";

/** Drops a file on the page, as from a folder of the desktop. */
export async function drop(page: Page, name: string, content: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([${JSON.stringify(content)}], ${JSON.stringify(name)}, { type: "text/csv" }));
    return transfer;
  })()`);
  const box = page.locator("label.drop");
  await box.dispatchEvent("dragover", { dataTransfer });
  await box.dispatchEvent("drop", { dataTransfer });
}

export const results = (page: Page) => page.locator("dl[aria-label=Results] > div").allInnerTexts();
