import { eq, sql } from "drizzle-orm";
import { allOf, input, inputs, isInJson, textInput } from "../../db/expressions.ts";
import {
  type AttributeResource,
  type AttributeType,
  attributeNames,
  attributeTypes,
} from "../../db/schema.ts";
import type { Combination } from "./combined-writes.ts";
import { type FieldViolation, Problem } from "./errors.ts";
import type { TenantSnapshot, TenantTransaction } from "./tenant.ts";
import { insert, remove, select, update } from "./tenant-statements.ts";

const { resource, name, type, count } = attributeNames;
const isOfResource = eq(resource, textInput("resource"));
const isName = allOf(isOfResource, eq(name, textInput("name")));
const named = select("attributeNames.named", {
  fields: { name, type, count },
  from: attributeNames,
  where: allOf(isOfResource, isInJson(name, textInput("names"))),
});
const addToCount = update("attributeNames.add", {
  table: attributeNames,
  set: { count: sql`${count} + ${input("added")}` },
  where: isName,
});
const insertName = insert("attributeNames.insert", {
  into: attributeNames,
  values: { ...inputs(attributeNames, "resource", "name", "type"), count: input("added") },
});
const removeUnused = remove("attributeNames.removeUnused", {
  from: attributeNames,
  where: allOf(isName, sql`${count} = 0`),
});

/** A name with the type of a value that rows got or lost: `added` rows more have it. */
export type NameUse = { name: string; type: AttributeType; added: number };

/** Written once for each name of a transaction: PostgreSQL would read every earlier version of the row. */
const nameUses: Combination<TenantTransaction, NameUse & { resource: AttributeResource }> = {
  keyOf: (use) => `${use.resource} ${use.name} ${use.type}`,
  merge: (sum, { added }) => ({ ...sum, added: sum.added + added }),
  write: async (tx, use) => {
    if (use.added > 0) await tx.updateOrInsert(addToCount, insertName, use);
    if (use.added >= 0) return;
    await tx.run(addToCount, use);
    await tx.run(removeUnused, use);
  },
};

/** The types of those of the names that rows of the resource have, in the state of the snapshot. */
export async function readAttributeTypes(
  snapshot: TenantSnapshot,
  resource: AttributeResource,
  names: readonly string[],
): Promise<Map<string, AttributeType>> {
  const rows = await snapshot.all(named, { resource, names: JSON.stringify(names) });
  return new Map(rows.map((row) => [row.name, row.type]));
}

/**
 * Counts the rows that have each name. `removed` comes first, so that the only row with a name can change its type.
 * Throws `attribute_type_conflict` for added names of which other rows have another type.
 */
export async function countNameUses(
  tx: TenantTransaction,
  resource: AttributeResource,
  { removed, added }: { removed: readonly NameUse[]; added: readonly NameUse[] },
): Promise<void> {
  for (const use of removed) tx.combined.add(nameUses, { ...use, resource });
  if (added.length === 0) return;
  const stored = await tx.all(named, { resource, names: JSON.stringify(added.map((use) => use.name)) });
  const countOf = (name: string, type: AttributeType) => {
    const row = stored.find((row) => row.name === name && row.type === type);
    const item = { resource, name, type, added: 0 };
    return (row?.count ?? 0) + (tx.combined.pending(nameUses, item)?.added ?? 0);
  };
  const conflicts: FieldViolation[] = [];
  for (const { name, type } of added) {
    const other = attributeTypes.find((candidate) => candidate !== type && countOf(name, candidate) > 0);
    if (other)
      conflicts.push({
        pointer: `/attributes/${name}`,
        code: "attribute_type_conflict",
        detail: `must be a ${other}, as in the other rows with this attribute`,
      });
  }
  if (conflicts.length > 0) throw new Problem("attribute_type_conflict", { errors: conflicts.slice(0, 20) });
  for (const use of added) tx.combined.add(nameUses, { ...use, resource });
}
