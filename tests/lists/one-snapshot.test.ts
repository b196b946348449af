import { expect, test } from "bun:test";
import { world } from "../support/world.ts";

const path = "/api/v1/accounts";
const maxRows = 60;

test.each(["sortBy=name", "mrr[gte]=1&sortBy=mrr", "search=acc", "include=totals"])(
  "a list with %s has rows, total and sums of one state of the database, next to writes",
  async (query) => {
    const here = await world();
    let isWriting = true;
    const get = () => here.call("GET", `${path}?pageSize=100&${query}`);
    // A reader has started before the first write.
    await get();
    async function write() {
      for (let i = 1; i <= maxRows; i += 1) {
        await here.call("POST", path, { name: `Account ${i}`, mrr: 1, externalId: `a${i}` });
        await Bun.sleep(1);
      }
      isWriting = false;
    }
    const seen: number[][] = [];
    async function read() {
      while (isWriting) {
        const { data, pagination, totals } = (await get()).body;
        seen.push([data.length, pagination.total, ...(totals ? [totals.accounts, totals.mrr] : [])]);
      }
    }
    await Promise.all([write(), read(), read()]);
    expect(seen.filter((numbers) => new Set(numbers).size !== 1)).toEqual([]);
    expect(new Set(seen.map(([rowCount]) => rowCount)).size).toBeGreaterThan(3);
  },
);

test("the entity tag of a row has the version of the body it is sent with, next to writes", async () => {
  const here = await world();
  const { id } = await here.account({ name: "Account" });
  let isWriting = true;
  async function write() {
    for (let mrr = 1; mrr <= maxRows; mrr += 1) {
      await here.call("PATCH", `${path}/${id}`, { mrr });
      await Bun.sleep(1);
    }
    isWriting = false;
  }
  const seen: [version: number, mrr: number][] = [];
  async function read() {
    while (isWriting) {
      const { headers, body } = await here.call("GET", `${path}/${id}`);
      seen.push([Number(/^"(\d+)\./.exec(headers.get("etag") ?? "")?.[1]), body.data.mrr]);
    }
  }
  await Promise.all([write(), read(), read()]);
  expect(seen).toEqual(seen.map(([, mrr]): [number, number] => [mrr + 1, mrr]));
  expect(new Set(seen.map(([version]) => version)).size).toBeGreaterThan(3);
});
