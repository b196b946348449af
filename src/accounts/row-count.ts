import { eq, sql } from "drizzle-orm";
import { allOf, integerInput, textInput } from "../../db/expressions.ts";
import { accounts, attributeValues, contacts, lastSeen } from "../../db/schema.ts";
import { Problem } from "../core/errors.ts";
import type { RowKey } from "../core/resource/resource.ts";
import { countUpTo, select } from "../core/tenant/statements.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";
import { type SubResource, subResources } from "../resources.ts";

/** The rows with which an operation of a batch can delete an account. */
const maxBatchedRows = 1_000;

/** The rows that are deleted in the transaction that deletes their account, as in `reactions.ts`. */
const rowsOfAccount = [...Object.values<SubResource>(subResources).map(({ table }) => table), lastSeen].map(
  (table) => ({ from: [table] as const, where: eq(table.accountId, accounts.id) }),
);
const attributesOfContacts = {
  from: [contacts, attributeValues] as const,
  where: allOf(
    eq(contacts.accountId, accounts.id),
    eq(attributeValues.resource, sql`'contact'`),
    eq(attributeValues.rowId, contacts.id),
  ),
};
const counted = {
  fields: { count: countUpTo(maxBatchedRows + 1, [...rowsOfAccount, attributesOfContacts]) },
  from: accounts,
};
const byId = select("accounts.rowCount", { ...counted, where: eq(accounts.id, integerInput("key")) });
const byExternalId = select("accounts.rowCountByExternalId", {
  ...counted,
  where: eq(accounts.externalId, textInput("key")),
});

/** The number of rows that are deleted with an account, at most 1,001; 0 for an account that does not exist. */
export async function countRowsOfAccount(snapshot: TenantSnapshot, key: RowKey): Promise<number> {
  const statement = typeof key === "number" ? byId : byExternalId;
  return (await snapshot.first(statement, { key }))?.count ?? 0;
}

/** Throws `too_many` for an account that a batch does not delete: other writes would wait for each of its deletions. */
export async function assertFewRows(snapshot: TenantSnapshot, key: RowKey): Promise<void> {
  if ((await countRowsOfAccount(snapshot, key)) > maxBatchedRows) throw new Problem("too_many");
}
