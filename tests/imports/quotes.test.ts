import { expect, test } from "bun:test";
import { importWorld, nothing } from "./import-world.ts";

test("A pipe separates a file of pipes, and is a character of a file of commas", async () => {
  const { importBytes, names } = await importWorld();
  const first = await importBytes("externalId|name\n1|X, Inc.\n|Y;|\n");
  expect(first.counts).toEqual({ ...nothing, lines: 2, created: 1, rejected: 1 });
  expect(first.rejectedText).toStartWith("externalId|name|line|reason\n");
  await importBytes("externalId,name|legal|full\n2,a|b|c\n3,d|e|f\n", { map: "name|legal|full=name" });
  await importBytes("externalId,name\n4,a|b\n");
  expect([...(await names()).values()]).toEqual(["X, Inc.", "a|b|c", "d|e|f", "a|b"]);
});

test("Quotes that do not balance reject their two rows only, and the repaired rows can be imported", async () => {
  const { importBytes, names } = await importWorld();
  const rows = Array.from({ length: 20 }, (_, i) => `c${i},Company ${i},n`);
  rows[4] = 'c4,Company 4,"24 inch';
  rows[11] = 'c11,Company 11,"19 inch';
  const first = await importBytes(`externalId,name,attributes.note\n${rows.join("\n")}\n`);
  expect(first.counts).toEqual({ ...nothing, lines: 20, created: 18, rejected: 2 });
  expect(first.reasons.map(([line]) => line)).toEqual([6, 13]);
  // The cells of the file of rejected lines have balanced quotes.
  const repaired = await importBytes(first.rejectedText);
  expect(repaired.counts).toEqual({ ...nothing, lines: 2, created: 2 });
  expect((await names()).size).toBe(20);
});
