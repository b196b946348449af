import { asc, eq } from "drizzle-orm";
import { excludedColumns, inputs, textInput } from "../../db/expressions.ts";
import { type AttributeResource, type DeclaredType, declaredAttributes } from "../../db/schema.ts";
import { type Declaration, readDeclarations } from "../core/attributes/declared.ts";
import { maxAttributeNames, readAttributeNames } from "../core/attributes/names.ts";
import { invalidParameter, Problem } from "../core/errors.ts";
import { insert, select } from "../core/tenant/statements.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { valueTypeOf } from "../shared/file-fields.ts";
import { countLaterMismatches, type Mismatches } from "./mismatches.ts";

const { organizationId, resource, name } = declaredAttributes;
const put = insert("declaredAttributes.put", {
  into: declaredAttributes,
  values: inputs(
    declaredAttributes,
    ...(["resource", "name", "type", "label", "description", "isPending"] as const),
  ),
  onConflict: {
    target: [organizationId, resource, name],
    set: excludedColumns(declaredAttributes, "type", "label", "description", "isPending"),
  },
});
const page = select("declaredAttributes.page", {
  fields: { name },
  from: declaredAttributes,
  where: eq(resource, textInput("resource")),
  orderBy: [asc(name)],
  paged: true,
});

export type DeclarationInput = {
  type: DeclaredType;
  label: string | null;
  description: string | null;
  /** Whether texts may be converted to the type. */
  canConvert: boolean;
};
type AttributeKey = { resource: AttributeResource; name: string };

/**
 * Declares the type of an attribute. `mismatches`: of the texts, if they have to be read. Throws
 * `attribute_values_conflict` for values of another type, and `invalid_request` for too many names.
 */
export async function declareAttribute(
  tx: TenantTransaction,
  key: AttributeKey,
  { canConvert, ...declared }: DeclarationInput,
  mismatches: Mismatches | undefined,
): Promise<Declaration> {
  const existing = (await readDeclarations(tx, key.resource, [key.name])).get(key.name);
  if (!existing) await checkCount(tx, key.resource);
  const isSame = existing?.type === declared.type;
  const isPending = isSame
    ? existing.isPending === 1
    : await checkValues(tx, { ...key, type: declared.type, existing, canConvert, mismatches });
  const row = { name: key.name, ...declared, isPending: isPending ? 1 : 0 };
  await tx.run(put, { ...row, resource: key.resource });
  return row;
}

type Checked = AttributeKey & {
  type: DeclaredType;
  existing: Declaration | undefined;
  canConvert: boolean;
  mismatches: Mismatches | undefined;
};

/** Throws for values of another type. Resolves with whether there are texts to convert. */
async function checkValues(tx: TenantTransaction, checked: Checked): Promise<boolean> {
  const { resource, name, type, existing, canConvert, mismatches } = checked;
  if (existing?.isPending === 1)
    throw valuesConflict(
      `texts are being converted to ${existing.type}: send the request when the attribute is not pending`,
    );
  const stored = (await readAttributeNames(tx, resource, [name])).get(name);
  if (!stored) return false;
  const isValueType = stored.type === valueTypeOf(type);
  if (isValueType && type !== "date") return false;
  const areTexts = stored.type === "string" && mismatches !== undefined && (isValueType || canConvert);
  const count = areTexts
    ? mismatches.count || (await countLaterMismatches(tx, { resource, name, type }, mismatches))
    : stored.count;
  if (count === 0) return !isValueType;
  const examples = areTexts ? mismatches.examples.map((text) => JSON.stringify(text)) : [];
  const shown = examples.length === 0 ? "" : `, such as ${examples.join(", ")}`;
  throw valuesConflict(`must fit all stored values; number of others: ${count}${shown}`);
}

function valuesConflict(detail: string): Problem {
  return new Problem("attribute_values_conflict", {
    errors: [{ pointer: "/type", code: "attribute_type_conflict", detail }],
  });
}

async function checkCount(tx: TenantTransaction, resource: AttributeResource): Promise<void> {
  if (!(await tx.first(page, { resource, limit: 1, offset: maxAttributeNames - 1 }))) return;
  throw invalidParameter("name", "too_many", `at most ${maxAttributeNames} names can be declared`);
}
