import { eq } from "drizzle-orm";
import { allOf, inputs, integerInput, textInput } from "../../../db/expressions.ts";
import { type AttributeResource, accounts, attributeValues, contacts } from "../../../db/schema.ts";
import { insert, remove, select, update } from "../tenant/statements.ts";
import type { TenantTransaction } from "../tenant/transaction.ts";
import {
  type AttributeChanges,
  type AttributeValue,
  attributeTypeOf,
  differingAttributes,
  NO_ATTRIBUTES,
  parseAttributes,
} from "./attributes.ts";
import { checkDeclaredTypes } from "./declared.ts";
import { countNameUses, type NameUse } from "./names.ts";

const isOfRow = allOf(
  eq(attributeValues.resource, textInput("resource")),
  eq(attributeValues.rowId, integerInput("rowId")),
);
const isValue = allOf(isOfRow, eq(attributeValues.name, textInput("name")));
const insertValue = insert("attributeValues.insert", {
  into: attributeValues,
  values: inputs(attributeValues, "resource", "rowId", "name", "text", "number"),
});
const updateValue = update("attributeValues.update", {
  table: attributeValues,
  set: inputs(attributeValues, "text", "number"),
  where: isValue,
  key: ["resource", "rowId", "name"],
});
const removeValue = remove("attributeValues.remove", {
  from: attributeValues,
  where: isValue,
  key: ["resource", "rowId", "name"],
});
const removeOfRow = remove("attributeValues.removeOfRow", {
  from: attributeValues,
  where: isOfRow,
  key: ["resource", "rowId"],
});
const attributesOf = {
  account: select("attributeValues.ofAccount", {
    fields: { attributes: accounts.attributes },
    from: accounts,
    where: eq(accounts.id, integerInput("rowId")),
  }),
  contact: select("attributeValues.ofContact", {
    fields: { attributes: contacts.attributes },
    from: contacts,
    where: eq(contacts.id, integerInput("rowId")),
  }),
};

type Stored = { attributes: string } | null;

/**
 * Stores the values of a row that was created, changed or deleted, for filters and orders. Undefined when no attribute
 * changes. Rejects with `attribute_type_conflict`, and `invalid_request` for too many names.
 */
export function storeAttributeValues(
  tx: TenantTransaction,
  resource: AttributeResource,
  { id, before, after }: { id: number; before: Stored; after: Stored },
): Promise<void> | undefined {
  const [old, updated] = [before?.attributes ?? NO_ATTRIBUTES, after?.attributes ?? NO_ATTRIBUTES];
  if (old === updated) return undefined;
  const values = differingAttributes(old, updated);
  return after ? storeDiffering(tx, resource, id, values) : removeAll(tx, resource, id, values.before);
}

async function storeDiffering(
  tx: TenantTransaction,
  resource: AttributeResource,
  rowId: number,
  { before, after }: { before: AttributeChanges; after: AttributeChanges },
): Promise<void> {
  const isDeclared = await checkDeclaredTypes(tx, resource, after);
  const isSameType = (name: string) => typeof before[name] === typeof after[name];
  const removed = usesOf(before, -1).filter(({ name }) => !isSameType(name));
  const added = usesOf(after, 1).filter(({ name }) => !isSameType(name));
  await countNameUses(tx, resource, { removed, added }, isDeclared);
  for (const [name, value] of Object.entries(after)) {
    const key = { resource, rowId, name };
    if (value === null) await tx.run(removeValue, key);
    else await tx.run(before[name] === null ? insertValue : updateValue, { ...key, ...columnsOf(value) });
  }
}

async function removeAll(
  tx: TenantTransaction,
  resource: AttributeResource,
  rowId: number,
  before: AttributeChanges,
): Promise<void> {
  await countNameUses(tx, resource, { removed: usesOf(before, -1), added: [] }, () => false);
  await tx.run(removeOfRow, { resource, rowId });
}

/** Replaces the values of a row by its attributes. The numbers of rows that have each name stay. */
export async function rewriteAttributeValues(
  tx: TenantTransaction,
  resource: AttributeResource,
  rowId: number,
): Promise<void> {
  const row = await tx.first(attributesOf[resource], { rowId });
  await tx.run(removeOfRow, { resource, rowId });
  for (const [name, value] of Object.entries(parseAttributes(row?.attributes ?? NO_ATTRIBUTES)))
    await tx.run(insertValue, { resource, rowId, name, ...columnsOf(value) });
}

function usesOf(values: AttributeChanges, added: number): NameUse[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === null ? [] : [{ name, type: attributeTypeOf(value), added }],
  );
}

/** The columns of a value: a string, or a number, which a boolean becomes. */
function columnsOf(value: AttributeValue): { text: string | null; number: number | null } {
  return typeof value === "string" ? { text: value, number: null } : { text: null, number: Number(value) };
}
