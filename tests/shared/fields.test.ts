import { expect, test } from "bun:test";
import { getTableColumns } from "drizzle-orm";
import { accounts, contacts, featureRequests, meetings } from "../../db/schema.ts";
import { fieldsOf, type ResourceName, resourceNames } from "../../src/shared/resources.ts";

const tables = { accounts, contacts, meetings, requests: featureRequests } satisfies Record<
  ResourceName,
  object
>;
const columnTypes = {
  id: "number",
  text: "string",
  number: "number",
  integer: "number",
  choice: "string",
  timestamp: "number",
  attributes: "string",
};

test.each(resourceNames)("each field of %s is a column that is null where the field is", (resource) => {
  const columns = getTableColumns(tables[resource]);
  for (const [name, { kind, isNullable = false, values }] of Object.entries(fieldsOf(resource))) {
    if (kind === "flag") continue;
    const column = columns[name as keyof typeof columns];
    expect([name, column?.dataType, column?.notNull]).toEqual([name, columnTypes[kind], !isNullable]);
    if (kind === "choice") expect<unknown>(column?.enumValues).toEqual(values);
  }
});

test.each(resourceNames)("a flag of %s is a value of its field", (resource) => {
  const fields = fieldsOf(resource);
  for (const [name, { kind, of = "" }] of Object.entries(fields))
    if (kind === "flag") expect(fields[of]?.values).toContain(name);
});
