import { expect, test } from "bun:test";
import { world } from "../support/world.ts";

const path = "/api/v1/accounts";
const maxRows = 60;

test.each(["sortBy=name", "mrr[gte]=1&sortBy=mrr", "search=acc", "include=totals"])(
  "a list with %s has rows, total and sums of one state of the database, next to writes",
  async (query) => {
    const here = await world();
    let isWriting = true;
    async function write() {
      for (let i = 1; i <= maxRows; i += 1)
        await here.call("POST", path, { name: `Account ${i}`, mrr: 1, externalId: `a${i}` });
      isWriting = false;
    }
    const seen: number[][] = [];
    async function read() {
      while (isWriting) {
        const { data, pagination, totals } = (await here.call("GET", `${path}?pageSize=100&${query}`)).body;
        seen.push([data.length, pagination.total, ...(totals ? [totals.accounts, totals.mrr] : [])]);
      }
    }
    await Promise.all([write(), read(), read()]);
    expect(seen.filter((numbers) => new Set(numbers).size !== 1)).toEqual([]);
    expect(new Set(seen.map(([rowCount]) => rowCount)).size).toBeGreaterThan(3);
  },
);

test("the entity tag of a row belongs to the body it is sent with, next to writes", async () => {
  const here = await world();
  const { id } = await here.account({ name: "Account" });
  const bodies = new Map<string | null, string>();
  let isWriting = true;
  async function write() {
    for (let mrr = 1; mrr <= maxRows; mrr += 1) {
      const { headers, text } = await here.call("PATCH", `${path}/${id}`, { mrr });
      bodies.set(headers.get("etag"), text);
    }
    isWriting = false;
  }
  const seen: [tag: string | null, body: string][] = [];
  async function read() {
    while (isWriting) {
      const { headers, text } = await here.call("GET", `${path}/${id}`);
      seen.push([headers.get("etag"), text]);
    }
  }
  await Promise.all([write(), read(), read()]);
  const known = seen.filter(([tag]) => bodies.has(tag));
  expect(new Set(known.map(([tag]) => tag)).size).toBeGreaterThan(3);
  expect(known).toEqual(known.map(([tag]): [string | null, string] => [tag, bodies.get(tag) ?? ""]));
});
