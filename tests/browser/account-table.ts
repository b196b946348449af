import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { eventually, shownText } from "./page-text.ts";
import type { Console } from "./server.ts";

/** What the tests of the table of accounts read of it, compared with the API of `server`. */
export function accountTable(server: () => Console) {
  const namesOf = (page: Page) => page.locator("tbody th a").allInnerTexts();
  const totalOf = (page: Page) => shownText(page.locator(".total"));
  const chipsOf = (page: Page) => page.locator(".chip span:first-child").allInnerTexts();

  /** The first names and the number of accounts that the API has for a query. */
  async function listed(query: string): Promise<{ names: string[]; total: string }> {
    const reply = await server().send("GET", `accounts?page=1&pageSize=50&${query}`);
    const { data, pagination } = (await reply.json()) as {
      data: { name: string }[];
      pagination: { total: number };
    };
    const total = pagination.total === 1 ? "1 account" : `${pagination.total} accounts`;
    return { names: data.map(({ name }) => name), total };
  }

  /** Compares the table with the API. The number of accounts may come after the rows. */
  async function expectView(page: Page, query: string): Promise<void> {
    const { names, total } = await listed(query);
    expect(await eventually(() => namesOf(page), names)).toEqual(names);
    expect(await eventually(() => totalOf(page), total)).toBe(total);
  }

  /** Clicks the summary of a filter's box. */
  const openBox = (page: Page, label: string) =>
    page.locator("summary").getByText(label, { exact: true }).click();

  return { namesOf, totalOf, chipsOf, listed, expectView, openBox };
}
