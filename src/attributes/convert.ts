import { asc, eq, sql } from "drizzle-orm";
import { Pauses } from "../../db/event-loop.ts";
import { allOf, input, textInput } from "../../db/expressions.ts";
import {
  type AttributeResource,
  attributeNames,
  attributeValues,
  declaredAttributes,
} from "../../db/schema.ts";
import { accountResource } from "../accounts/resource.ts";
import { contactStore } from "../contacts/store.ts";
import { isAttribute } from "../core/attributes/value-index.ts";
import { type DueCondition, hasRow } from "../core/due-jobs.ts";
import { writeBatchSize } from "../core/pauses.ts";
import { select, update } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { valueTypeOf } from "../shared/file-fields.ts";
import { convertedValue } from "./mismatches.ts";

const { resource, name } = declaredAttributes;
const isPending = eq(declaredAttributes.isPending, sql`1`);
const pending = select("declaredAttributes.pending", {
  fields: { resource, name, type: declaredAttributes.type },
  from: declaredAttributes,
  where: isPending,
  orderBy: [asc(resource), asc(name)],
  paged: true,
});
const textsOf = (of: AttributeResource) =>
  select(`attributeValues.toConvert/${of}`, {
    fields: { rowId: attributeValues.rowId, text: attributeValues.text },
    from: attributeValues,
    where: isAttribute(of, "text", "of"),
    orderBy: [asc(attributeValues.text), asc(attributeValues.rowId)],
    paged: true,
  });
const texts = { account: textsOf("account"), contact: textsOf("contact") };
const isDeclared = allOf(eq(resource, textInput("resource")), eq(name, textInput("name")));
const endConversion = update("declaredAttributes.endConversion", {
  table: declaredAttributes,
  set: { isPending: sql`0` },
  where: isDeclared,
});
const setType = update("attributeNames.setType", {
  table: attributeNames,
  set: { type: input("type") },
  where: allOf(
    eq(attributeNames.resource, textInput("resource")),
    eq(attributeNames.name, textInput("name")),
  ),
});

type Converted = { attributes: Record<string, string | number | boolean> };
/** The times of members stay: traits that are newer than the text replace it also afterwards. */
const times = {};
const updates: Record<
  AttributeResource,
  (tx: TenantTransaction, id: number, input: Converted) => Promise<unknown>
> = {
  account: async (tx, id, input) =>
    accountResource.update(tx, await accountResource.get(tx, id), { input, times }),
  contact: async (tx, id, input) =>
    contactStore.upsert(tx, { existing: await contactStore.get(tx, id), input, times }),
};

export const conversionsDue: DueCondition = {
  isDue: hasRow({ from: declaredAttributes, where: isPending }),
};

/** Job: converts a batch of texts to the declared type of their attribute. Returns whether there may be more. */
export function convertAttributes(tenant: Tenant): Promise<boolean> {
  return tenant.write(convertBatch, { isBulk: true });
}

async function convertBatch(tx: TenantTransaction): Promise<boolean> {
  const declared = await tx.first(pending, { limit: 1, offset: 0 });
  if (!declared) return false;
  const { resource, name, type } = declared;
  const values = await tx.all(texts[resource], { ofName: name, limit: writeBatchSize, offset: 0 });
  const pauses = new Pauses(tx);
  for (const { rowId, text } of values) {
    await pauses.next();
    const value = convertedValue(text ?? "", type);
    // The declaration has checked all texts, and other writes since then have the type.
    if (value === undefined) throw new Error(`${resource} ${rowId} has a text that is no ${type}`);
    await updates[resource](tx, rowId, { attributes: { [name]: value } });
  }
  if (values.length > 0) return true;
  await tx.run(setType, { resource, name, type: valueTypeOf(type) });
  await tx.run(endConversion, { resource, name });
  return true;
}
