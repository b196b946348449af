import { asc, eq } from "drizzle-orm";
import { textInput } from "../../db/expressions.ts";
import { type AttributeResource, type AttributeType, attributeNames } from "../../db/schema.ts";
import type { AttributeValue } from "../core/attributes/attributes.ts";
import { maxAttributeNames } from "../core/attributes/names.ts";
import { select } from "../core/tenant/statements.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";
import { sampleValues } from "./sample.ts";

const maxFrequentValues = 10;

const { name, type, count } = attributeNames;
const names = select("attributeNames.counted", {
  fields: { name, type, count },
  from: attributeNames,
  where: eq(attributeNames.resource, textInput("resource")),
  orderBy: [asc(name)],
  paged: true,
});
export type FrequentValue = { value: AttributeValue; count: number };
export type ListedAttribute = { name: string; type: AttributeType; count: number; values: FrequentValue[] };

/** The attributes of a resource by name, each with the most frequent values of a sample. */
export async function listAttributes(
  snapshot: TenantSnapshot,
  resource: AttributeResource,
): Promise<ListedAttribute[]> {
  const rows = await snapshot.all(names, { resource, limit: maxAttributeNames, offset: 0 });
  const samples = await sampleValues(snapshot, resource, rows);
  return rows.map((row) => {
    const counts = new Map<string | number, number>();
    for (const { text, number } of samples.get(row.name) ?? []) {
      const value = text ?? number ?? 0;
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    // Sorting is stable: of values with one count, the newest comes first.
    const sorted = [...counts].sort(([, a], [, b]) => b - a);
    const values = sorted.slice(0, maxFrequentValues).map(([value, count]) => ({
      value: row.type === "boolean" ? value === 1 : value,
      count,
    }));
    return { ...row, values };
  });
}
