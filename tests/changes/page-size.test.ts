import { expect, test } from "bun:test";
import { JsonRows, maxPageBytes } from "../../src/core/lists/json-rows.ts";
import { world } from "../support/world.ts";

const changes = "/api/v1/changes";
/** About 32 kB as JSON. */
const attributes = Object.fromEntries(Array.from({ length: 31 }, (_, i) => [`a${i}`, "é".repeat(500)]));

test("a page of the change feed ends before 2 MiB; the following pages have the other changes", async () => {
  const { call } = await world();
  const count = 150;
  for (let from = 0; from < count; from += 25) {
    const accounts = Array.from({ length: 25 }, (_, i) => ({
      ...{ externalId: `e${from + i}`, name: "Acme", attributes },
    }));
    expect((await call("POST", "/api/v1/accounts/batch", { accounts })).body.data.created).toBe(25);
  }
  const pages: { bytes: number; sequences: number[]; limit: number }[] = [];
  for (let after = 0, hasNextPage = true; hasNextPage; ) {
    const { text, body } = await call("GET", `${changes}?after=${after}&resource=account`);
    const sequences = body.data.map(({ sequence }: { sequence: number }) => sequence);
    pages.push({ bytes: Buffer.byteLength(text), sequences, limit: body.pagination.limit });
    ({ hasNextPage, nextAfter: after } = body.pagination);
  }
  expect(pages.flatMap(({ sequences }) => sequences)).toEqual(Array.from({ length: count }, (_, i) => i + 1));
  expect(pages.map(({ limit }) => limit)).toEqual([1_000, 1_000, 1_000]);
  for (const { bytes } of pages) expect(bytes).toBeLessThanOrEqual(maxPageBytes);
  const [first] = pages;
  // The next change would not have fitted.
  expect(first?.bytes).toBeGreaterThan(maxPageBytes - 40_000);
});

test("a page has at least one row, at most its limit, and no row over its size", () => {
  const large = { text: "x".repeat(maxPageBytes) };
  const small = { text: "" };
  const alone = new JsonRows(10);
  expect([alone.add(large), alone.add(small)]).toEqual([true, false]);
  const limited = new JsonRows(2);
  expect([limited.nextCount, limited.add(small), limited.add(small), limited.add(small)]).toEqual([
    3,
    true,
    true,
    false,
  ]);
  expect(limited.texts).toEqual(['{"text":""}', '{"text":""}']);
});

test.each([1, 3_000])(
  "the body of a page of %d rows is the JSON of its rows and the other members",
  (count) => {
    const data = Array.from({ length: count }, (_, i) => ({ i, text: `é😀\u{10ffff}"\\\n${i}` }));
    const rows = new JsonRows(count);
    for (const row of data) expect(rows.add(row)).toBe(true);
    const others = { pagination: { limit: count, name: "é" } };
    const body = rows.bodyWith(others);
    expect(typeof body).toBe(count === 1 ? "string" : "object");
    expect(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(body as string))).toBe(
      JSON.stringify({ data, ...others }),
    );
  },
);
