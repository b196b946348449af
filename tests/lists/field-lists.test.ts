import { expect, test } from "bun:test";
import { accounts } from "../../db/schema.ts";
import { ordersAndFilters } from "../../src/core/lists/fields.ts";
import { defineList } from "../../src/core/lists/list.ts";
import type { ResourceFields } from "../../src/shared/fields/field.ts";
import { world } from "../support/world.ts";

const fields = {
  externalId: { kind: "text", isNullable: true, isFilterable: true, isSortable: true },
  name: { kind: "text", isSortable: true },
} as const satisfies ResourceFields;
const { sortBy, filters } = ordersAndFilters(fields, accounts);
const list = defineList({
  name: "tests.fieldList",
  from: accounts,
  key: accounts.id,
  fields: { name: accounts.name },
  sortBy,
  defaultOrder: ["name", "asc"],
  filters,
});

async function sampleList() {
  const { tenant, account } = await world();
  for (const [name, externalId] of [["One", "b"], ["two"], ["Three", "a"], ["four"]])
    await account({ name, ...(externalId !== undefined && { externalId }) });
  return async (query: Record<string, string>) => {
    const read = { page: 1, pageSize: 3, cursor: undefined, ...query };
    const { rows, pagination } = await list.readFor(tenant(), read);
    return { names: rows.map(({ name }) => name), pagination };
  };
}

test("a nullable field sorts rows without a value last in ascending order, and first in descending order", async () => {
  const read = await sampleList();
  const first = await read({ sortBy: "externalId", cursor: "" });
  expect(first.names).toEqual(["Three", "One", "two"]);
  const cursor = "nextCursor" in first.pagination ? String(first.pagination.nextCursor) : "";
  expect((await read({ sortBy: "externalId", cursor })).names).toEqual(["four"]);
  expect((await read({ sortBy: "externalId", sortOrder: "desc" })).names).toEqual(["four", "two", "One"]);
});

test("a text field has filters by one value, by several and by none, and sorts by its folded column", async () => {
  const read = await sampleList();
  expect((await read({ externalId: "a" })).names).toEqual(["Three"]);
  expect((await read({ "externalId[in]": "a,b" })).names).toEqual(["One", "Three"]);
  expect((await read({ externalId: "none" })).names).toEqual(["four", "two"]);
});
