import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import type { Value } from "../../db/engine.ts";
import { FirstRows } from "../../db/first-rows.ts";
import { compareRows } from "../../db/sqlite/reads/order.ts";
import { Random } from "../support/random.ts";

/** With units of one, two, three and four bytes in UTF-8, among them those around the surrogates. */
const letters = ["a", "B", "é", "\u0000", "\ud7ff", "\ue000", "\uffff", "😀", "\u{10ffff}"];

function randomValue(random: Random): Value {
  const kind = random.below(10);
  if (kind === 0) return null;
  if (kind === 1) return random.of([0, -1, 1.5, 2, 1e15, -1e-9]);
  return Array.from({ length: random.below(4) }, () => random.of(letters)).join("");
}

function randomRows(random: Random, count: number): Value[][] {
  return Array.from({ length: count }, () => [randomValue(random), random.below(3)]);
}

test("rows are compared as SQLite orders them", () => {
  const random = new Random(1);
  using client = new Database(":memory:");
  client.run("CREATE TABLE rows (a ANY, b INTEGER) STRICT");
  const insert = client.prepare("INSERT INTO rows VALUES (?, ?)");
  const rows = randomRows(random, 2_000);
  for (const [a, b] of rows) insert.run(a ?? null, b ?? null);
  const ordered = client.query("SELECT a, b FROM rows ORDER BY a, b").values();
  insert.finalize();
  expect(rows.toSorted(compareRows)).toEqual(ordered as Value[][]);
});

test("the first rows of many lists in order are those of all together", () => {
  const random = new Random(2);
  for (let round = 0; round < 300; round += 1) {
    const count = random.below(20);
    const lists = Array.from({ length: random.below(12) }, () =>
      randomRows(random, random.below(10)).toSorted(compareRows),
    );
    const first = new FirstRows(count, compareRows);
    for (const list of lists) first.add(list.slice(0, count));
    expect(first.rows).toEqual(lists.flat().toSorted(compareRows).slice(0, count));
  }
});
