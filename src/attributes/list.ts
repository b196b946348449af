import { asc, desc, eq } from "drizzle-orm";
import { textInput } from "../../db/expressions.ts";
import {
  type AttributeResource,
  type AttributeType,
  attributeNames,
  attributeValues,
} from "../../db/schema.ts";
import { maxAttributeNames } from "../core/attribute-names.ts";
import type { AttributeValue } from "../core/attributes.ts";
import type { TenantSnapshot } from "../core/tenant.ts";
import { select } from "../core/tenant-statements.ts";

/** The newest values that are counted: some milliseconds. */
const maxCountedValues = 5_000;
const maxFrequentValues = 10;

const { name, type, count } = attributeNames;
const names = select("attributeNames.counted", {
  fields: { name, type, count },
  from: attributeNames,
  where: eq(attributeNames.resource, textInput("resource")),
  orderBy: [asc(name)],
  paged: true,
});
const newestValues = select("attributeValues.newest", {
  fields: { name: attributeValues.name, text: attributeValues.text, number: attributeValues.number },
  from: attributeValues,
  where: eq(attributeValues.resource, textInput("resource")),
  orderBy: [desc(attributeValues.rowId), desc(attributeValues.name)],
  paged: true,
});

export type FrequentValue = { value: AttributeValue; count: number };
export type ListedAttribute = { name: string; type: AttributeType; count: number; values: FrequentValue[] };

/** The attributes of a resource by name, each with its most frequent values among the newest values of all of them. */
export async function listAttributes(
  snapshot: TenantSnapshot,
  resource: AttributeResource,
): Promise<ListedAttribute[]> {
  const rows = await snapshot.all(names, { resource, limit: maxAttributeNames, offset: 0 });
  const values = await snapshot.all(newestValues, { resource, limit: maxCountedValues, offset: 0 });
  const countsByName = new Map<string, Map<string | number, number>>();
  for (const { name, text, number } of values) {
    const counts = countsByName.get(name) ?? new Map<string | number, number>();
    const value = text ?? number ?? 0;
    counts.set(value, (counts.get(value) ?? 0) + 1);
    countsByName.set(name, counts);
  }
  return rows.map((row) => {
    // Sorting is stable: of values with one count, the newest comes first.
    const counts = [...(countsByName.get(row.name) ?? [])].sort(([, a], [, b]) => b - a);
    const frequent = counts.slice(0, maxFrequentValues).map(([value, count]) => ({
      value: row.type === "boolean" ? value === 1 : value,
      count,
    }));
    return { ...row, values: frequent };
  });
}
