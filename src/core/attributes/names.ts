import { asc, eq, sql } from "drizzle-orm";
import { allOf, input, inputs, integerInput, isInJson, sumOf, textInput } from "../../../db/expressions.ts";
import {
  type AttributeResource,
  type AttributeType,
  attributeNames,
  attributeTypes,
} from "../../../db/schema.ts";
import { type FieldViolation, invalidField, maxListedViolations, Problem } from "../errors.ts";
import { insert, remove, select, update } from "../tenant/statements.ts";
import type { TenantSnapshot, TenantTransaction } from "../tenant/transaction.ts";
import type { UndoableMap } from "../tenant/undoable-map.ts";

const { resource, name, type, count } = attributeNames;
const isOfResource = eq(resource, textInput("resource"));
const isName = allOf(isOfResource, eq(name, textInput("name")));
const named = select("attributeNames.named", {
  fields: { name, type, count },
  from: attributeNames,
  where: allOf(isOfResource, isInJson(name, textInput("names"))),
});
const allNames = select("attributeNames.all", {
  fields: { name, type },
  from: attributeNames,
  where: isOfResource,
  orderBy: [asc(name)],
});
const namesByPage = select("attributeNames.page", {
  fields: { name },
  from: attributeNames,
  where: isOfResource,
  orderBy: [asc(name)],
  paged: true,
});
const addToCount = insert("attributeNames.add", {
  into: attributeNames,
  values: { ...inputs(attributeNames, "resource", "name", "type"), count: input("added") },
  onConflict: { target: [attributeNames.organizationId, resource, name], set: { count: sumOf(count) } },
});
const reduceCount = update("attributeNames.reduce", {
  table: attributeNames,
  set: { count: sql`${count} + ${integerInput("added")}` },
  where: isName,
  key: ["resource", "name"],
});
const removeUnused = remove("attributeNames.removeUnused", {
  from: attributeNames,
  where: allOf(isName, sql`${count} = 0`),
  key: ["resource", "name"],
});

/** The names that all rows of a resource may have together: exports have a column for each. */
export const maxAttributeNames = 1_000;

/** A name with the type of a value that rows got or lost: `added` rows more have it. */
export type NameUse = { name: string; type: AttributeType; added: number };

const LATE_NAMES = "attribute names";
const keyOf = (resource: AttributeResource, name: string, type: AttributeType) =>
  `${LATE_NAMES} ${resource} ${name} ${type}`;

type ResourceNameUse = NameUse & { resource: AttributeResource };

function lateUses(tx: TenantTransaction): UndoableMap<ResourceNameUse> {
  return tx.lateValues(LATE_NAMES, writeUses);
}

/** Removed values first: a name without rows can get another type. */
async function writeUses(tx: TenantTransaction, uses: ReadonlyMap<string, ResourceNameUse>): Promise<void> {
  // The cached counts are older than this write.
  for (const key of tx.cache.keys()) if (key.startsWith(LATE_NAMES)) tx.cache.set(key, undefined);
  const removed = [...uses.values()].filter(({ added }) => added < 0);
  for (const use of removed) await tx.run(reduceCount, use);
  for (const use of removed) await tx.run(removeUnused, use);
  await tx.insertAll(
    addToCount,
    [...uses.values()].filter(({ added }) => added > 0),
  );
}

function addLate(tx: TenantTransaction, resource: AttributeResource, use: NameUse): void {
  const key = keyOf(resource, use.name, use.type);
  const uses = lateUses(tx);
  uses.set(key, { ...use, resource, added: (uses.get(key)?.added ?? 0) + use.added });
}

type StoredName = { type: AttributeType; count: number };

/** The names that rows of the resource have, among these, with their type and the number of rows. */
export async function readAttributeNames(
  snapshot: TenantSnapshot,
  resource: AttributeResource,
  names: readonly string[],
): Promise<Map<string, StoredName>> {
  const rows = await snapshot.all(named, { resource, names: JSON.stringify(names) });
  return new Map(rows.map(({ name, type, count }) => [name, { type, count }]));
}

/** The types of all names that rows of the resource have, in the order of the names. */
export async function readAllAttributeTypes(
  snapshot: TenantSnapshot,
  resource: AttributeResource,
): Promise<Map<string, AttributeType>> {
  const rows = await snapshot.all(allNames, { resource });
  return new Map(rows.map((row) => [row.name, row.type]));
}

/**
 * Counts the rows that have each name. `removed` comes first, so that the only row with a name can change its type.
 * Throws `attribute_type_conflict` for added names that have another type in other rows unless they are declared, and
 * `invalid_request` when there would be more than `maxAttributeNames`.
 */
export async function countNameUses(
  tx: TenantTransaction,
  resource: AttributeResource,
  { removed, added }: { removed: readonly NameUse[]; added: readonly NameUse[] },
  isDeclared: (name: string) => boolean,
): Promise<void> {
  for (const use of removed) addLate(tx, resource, use);
  if (added.length === 0) return;
  const names = added.map((use) => use.name);
  // A statement for each row would cost a round trip.
  const storedOf = await tx.readOnce(`${LATE_NAMES} ${resource}`, names, (unread) =>
    readAttributeNames(tx, resource, unread),
  );
  const uses = lateUses(tx);
  const countOf = (name: string, type: AttributeType) => {
    const stored = storedOf(name);
    const storedCount = stored?.type === type ? stored.count : 0;
    return storedCount + (uses.get(keyOf(resource, name, type))?.added ?? 0);
  };
  const conflicts: FieldViolation[] = [];
  for (const { name, type } of added) {
    if (isDeclared(name)) continue;
    const other = attributeTypes.find((candidate) => candidate !== type && countOf(name, candidate) > 0);
    if (other)
      conflicts.push({
        pointer: `/attributes/${name}`,
        code: "attribute_type_conflict",
        detail: `must be a ${other}, as in the other rows with this attribute`,
      });
  }
  if (conflicts.length > 0)
    throw new Problem("attribute_type_conflict", { errors: conflicts.slice(0, maxListedViolations) });
  const isStored = (name: string) => attributeTypes.some((type) => countOf(name, type) > 0);
  const newNames = names.filter((name) => !isStored(name));
  if (newNames.length > 0) await checkNameCount(tx, resource, newNames);
  for (const use of added) addLate(tx, resource, use);
}

/** Throws `invalid_request` when the rows of the resource would have more than `maxAttributeNames` names. */
async function checkNameCount(
  tx: TenantTransaction,
  resource: AttributeResource,
  newNames: readonly string[],
): Promise<void> {
  // The names of this transaction are counted, too.
  await tx.writeLate(LATE_NAMES);
  const offset = maxAttributeNames - newNames.length;
  if (!(await tx.first(namesByPage, { resource, limit: 1, offset }))) return;
  const detail = `all ${resource} together have at most ${maxAttributeNames} names of attributes; use existing ones`;
  throw invalidField(`/attributes/${newNames[0]}`, "too_many", detail);
}
