import { asc, eq } from "drizzle-orm";
import { allOf, isInJson, pick, textInput } from "../../../db/expressions.ts";
import { type AttributeResource, type DeclaredType, declaredAttributes } from "../../../db/schema.ts";
import type { Row } from "../../../db/statements.ts";
import { valueTypeOf } from "../../shared/file-fields.ts";
import { type FieldViolation, maxListedViolations, Problem } from "../errors.ts";
import { select } from "../tenant/statements.ts";
import type { TenantSnapshot, TenantTransaction } from "../tenant/transaction.ts";
import { isCalendarDate } from "../timestamps.ts";
import { type AttributeChanges, attributeTypeOf } from "./attributes.ts";
import { readAllAttributeTypes, readAttributeNames } from "./names.ts";

const fields = pick(declaredAttributes, "name", "type", "label", "description", "isPending");
const isOfResource = eq(declaredAttributes.resource, textInput("resource"));
const named = select("declaredAttributes.named", {
  fields,
  from: declaredAttributes,
  where: allOf(isOfResource, isInJson(declaredAttributes.name, textInput("names"))),
});
const all = select("declaredAttributes.all", {
  fields,
  from: declaredAttributes,
  where: isOfResource,
  orderBy: [asc(declaredAttributes.name)],
});
/** A declaration. `isPending`: 1 while texts are converted. */
export type Declaration = Row<typeof fields>;

export async function readDeclarations(
  snapshot: TenantSnapshot,
  resource: AttributeResource,
  names: readonly string[],
): Promise<Map<string, Declaration>> {
  const rows = await snapshot.all(named, { resource, names: JSON.stringify(names) });
  return new Map(rows.map((row) => [row.name, row]));
}

/** All declarations of a resource, in the order of their names. */
export function readAllDeclarations(
  snapshot: TenantSnapshot,
  resource: AttributeResource,
): Promise<Declaration[]> {
  return snapshot.all(all, { resource });
}

/** The declared types of names, among these, or else the types of the values that rows have. */
export async function readTypes(
  snapshot: TenantSnapshot,
  resource: AttributeResource,
  names: readonly string[],
): Promise<Map<string, DeclaredType>> {
  const stored = await readAttributeNames(snapshot, resource, names);
  const declared = await readDeclarations(snapshot, resource, names);
  return new Map([...stored, ...declared].map(([name, { type }]) => [name, type]));
}

/** The declared types of all names, or else the types of the values that rows have. */
export async function readAllTypes(
  snapshot: TenantSnapshot,
  resource: AttributeResource,
): Promise<Map<string, DeclaredType>> {
  const types = new Map<string, DeclaredType>(await readAllAttributeTypes(snapshot, resource));
  for (const { name, type } of await readAllDeclarations(snapshot, resource)) types.set(name, type);
  return types;
}

const nouns: Record<DeclaredType, string> = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  date: "a date such as 2026-01-02",
};

/** Throws `attribute_type_conflict` for values that have not the declared type. Resolves with the declared names. */
export async function checkDeclaredTypes(
  tx: TenantTransaction,
  resource: AttributeResource,
  changes: AttributeChanges,
): Promise<(name: string) => boolean> {
  const declarationOf = await tx.readOnce(`declared attribute ${resource}`, Object.keys(changes), (unread) =>
    readDeclarations(tx, resource, unread),
  );
  const conflicts = Object.entries(changes).flatMap(([name, value]): FieldViolation[] => {
    const type = declarationOf(name)?.type;
    if (value === null || type === undefined) return [];
    const isValid = type !== "date" || isCalendarDate(String(value));
    if (isValid && attributeTypeOf(value) === valueTypeOf(type)) return [];
    const detail = `must be ${nouns[type]}, as declared`;
    return [{ pointer: `/attributes/${name}`, code: "attribute_type_conflict", detail }];
  });
  if (conflicts.length > 0)
    throw new Problem("attribute_type_conflict", { errors: conflicts.slice(0, maxListedViolations) });
  return (name) => declarationOf(name) !== undefined;
}
