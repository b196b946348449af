import { eq } from "drizzle-orm";
import { integerInput, textInput } from "../../db/expressions.ts";
import { accounts } from "../../db/schema.ts";
import { Problem } from "../core/errors.ts";
import type { RowKey } from "../core/resource/resource.ts";
import { countUpTo, select } from "../core/tenant/statements.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";
import { type SubResource, subResources } from "../resources.ts";

/** An operation of a batch deletes an account with at most this many sub-resources. */
const maxBatchedRows = 1_000;

const rowsOfAccount = Object.values<SubResource>(subResources).map(({ table }) => ({
  from: table,
  where: eq(table.accountId, accounts.id),
}));
const counted = { fields: { count: countUpTo(maxBatchedRows + 1, rowsOfAccount) }, from: accounts };
const byId = select("accounts.rowCount", { ...counted, where: eq(accounts.id, integerInput("key")) });
const byExternalId = select("accounts.rowCountByExternalId", {
  ...counted,
  where: eq(accounts.externalId, textInput("key")),
});

/** The number of sub-resources of an account, at most 1,001; 0 for an account that does not exist. */
export async function countRowsOfAccount(snapshot: TenantSnapshot, key: RowKey): Promise<number> {
  const statement = typeof key === "number" ? byId : byExternalId;
  return (await snapshot.first(statement, { key }))?.count ?? 0;
}

/** Throws `too_many` for an account that a batch does not delete: other writes would wait for each of its deletions. */
export async function assertFewRows(snapshot: TenantSnapshot, key: RowKey): Promise<void> {
  if ((await countRowsOfAccount(snapshot, key)) > maxBatchedRows) throw new Problem("too_many");
}
