import { expect, test } from "bun:test";
import { maxPageBytes } from "../../src/core/lists/json-rows.ts";
import { world } from "../support/world.ts";

const accounts = "/api/v1/accounts?include=attributes&pageSize=100";
const count = 100;

/** Accounts with attributes of 100 kB, as an earlier version could store them. */
async function largeAccounts() {
  const here = await world();
  const rows = Array.from({ length: count }, (_, i) => ({ externalId: `e${i}`, name: `Acme ${i}` }));
  await here.call("POST", "/api/v1/accounts/batch", { accounts: rows });
  await here.execute(`UPDATE accounts SET attributes = '{"text":"${"é".repeat(50_000)}"}'`);
  const { body } = await here.call("GET", "/api/v1/accounts?pageSize=1");
  expect(body.pagination.total).toBe(count);
  return here;
}

test("a page by cursor ends before 2 MiB, and the following pages have the other rows", async () => {
  const { call } = await largeAccounts();
  const names: string[] = [];
  const sizes: number[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { text, body, headers } = await call("GET", `${accounts}&cursor=${cursor}`);
    names.push(...body.data.map(({ name }: { name: string }) => name));
    sizes.push(Buffer.byteLength(text));
    cursor = body.pagination.nextCursor;
    expect([body.pagination.hasNextPage, body.pagination.pageSize]).toEqual([cursor !== null, 100]);
    expect(headers.get("link")?.includes('rel="next"')).toBe(cursor !== null);
  }
  expect(names).toHaveLength(count);
  expect(new Set(names).size).toBe(count);
  expect(sizes).toHaveLength(5);
  for (const size of sizes) expect(size).toBeWithin(maxPageBytes / 2, maxPageBytes + 1);
});

test("a page by number over 8 MiB is 400 response_too_large; smaller ones are replies", async () => {
  const { call } = await largeAccounts();
  const { status, body } = await call("GET", accounts);
  expect([status, body.code]).toEqual([400, "response_too_large"]);
  expect(body.detail).toContain("pageSize");
  for (const query of ["pageSize=50&include=attributes", "pageSize=100"])
    expect((await call("GET", `/api/v1/accounts?${query}`)).status).toBe(200);
  expect((await call("GET", `${accounts}&fields=id,name`)).body.data).toHaveLength(count);
});
