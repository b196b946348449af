import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { batchQuery, copyTables, digestOf, keyOf } from "../../db/copy.ts";
import { schemaTables } from "../deletions/organization-world.ts";
import { world } from "../support/world.ts";

test("every table is copied, after the tables that it references", () => {
  const names = copyTables.map(({ name }) => name);
  expect(names.toSorted()).toEqual(schemaTables.map(({ name }) => name).sort());
  for (const { name, foreignKeys } of schemaTables)
    for (const { reference } of foreignKeys) {
      const referenced = schemaTables.find(({ columns }) => columns[0]?.table === reference().foreignTable);
      expect(names.indexOf(referenced?.name ?? "")).toBeLessThan(names.indexOf(name));
    }
});

test.each(copyTables.map((table) => [table.name, table] as const))(
  "a batch of %s is read from its key, without a sort",
  async (_, table) => {
    const { file } = await world();
    using database = new Database(file, { readonly: true });
    using plan = database.prepare(`EXPLAIN QUERY PLAN ${batchQuery(table, true, 10)}`);
    const key = table.key.map((i) => (table.columns[i]?.type === "text" ? "a" : 1));
    const lines = plan.values(...key).map((row) => String(row[3]));
    expect(lines).toEqual([
      expect.stringMatching(
        /^SEARCH \w+ USING (?:(?:INTEGER )?PRIMARY KEY|INDEX sqlite_autoindex_secrets_1) \(/,
      ),
    ]);
  },
);

test("a digest differs for other values, another order, and other rows before", () => {
  const table = copyTables.find(({ name }) => name === "expiring_days");
  if (!table) throw new Error("there is no such table");
  const rows = [
    [1, 2, 3, "a"],
    [1, 2, 4, "b"],
  ];
  const digest = digestOf(table, "", rows);
  expect(digestOf(table, "", structuredClone(rows))).toBe(digest);
  expect(digestOf(table, "", rows.toReversed())).not.toBe(digest);
  expect(digestOf(table, "x", rows)).not.toBe(digest);
  expect(
    digestOf(table, "", [
      [1, 2, 3, "a "],
      [1, 2, 4, "b"],
    ]),
  ).not.toBe(digest);
  expect(keyOf(table, [1, 2, 3, "a"])).toEqual([1, 2, 3, "a"]);
  expect(() => digestOf(table, "", [[1, 2 ** 53, 3, "a"]])).toThrow(
    "expiring_days.day has an integer beyond 2^53",
  );
});
