import { type AccountInput, accountResource } from "../accounts/resource.ts";
import { Problem, withPrefix } from "../core/errors.ts";
import { type UpsertResult, upsertRows } from "../core/resource/upsert-rows.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { type SubResource, subResources } from "../resources.ts";
import { type SubResourceName, subResourceNames } from "../shared/resources.ts";
import { type RowKeys, readStoredRows, type StoredRows } from "./stored-rows.ts";

/** An account with its sub-resources. A contact has an `externalId` or an `email`, a row of another resource an `externalId`. */
export type AccountUpsert = {
  account: Omit<AccountInput, "externalId"> & { externalId: string };
} & Record<SubResourceName, readonly RowKeys[]>;

/**
 * Creates or updates accounts with their sub-resources, each account for itself, as `upsertRows`. The pointers of a
 * problem begin with the index of the account.
 */
export async function upsertAccounts(
  tx: TenantTransaction,
  items: readonly (AccountUpsert | Problem)[],
): Promise<UpsertResult[]> {
  const rows = await readStoredRows(
    tx,
    items.flatMap((item) => (item instanceof Problem ? [] : item)),
  );
  return upsertRows(tx, items, (item: AccountUpsert, index) =>
    withPrefix(`/accounts/${index}`, () => upsertOne(tx, rows, item)),
  );
}

/** Creates or updates one account. Changes `rows`, too. May run twice. */
async function upsertOne(
  tx: TenantTransaction,
  rows: StoredRows,
  { account: input, ...lists }: AccountUpsert,
): Promise<UpsertResult> {
  const stored = rows.accounts.get(input.externalId);
  const { row: account, isNew } = await accountResource.upsert(tx, { existing: stored, input });
  rows.accounts.set(input.externalId, account);
  let isChanged = account !== stored;
  for (const name of subResourceNames) {
    const { store }: SubResource = subResources[name];
    for (const [i, members] of lists[name].entries()) {
      const existing = rows.find(name, account.id, members);
      const { row } = await withPrefix(`/${name}/${i}`, () =>
        store.upsert(tx, { existing, input: members, accountId: account.id }),
      );
      rows.set(name, existing, row);
      isChanged ||= row !== existing;
    }
  }
  const result = isChanged ? "updated" : "unchanged";
  return { id: account.id, result: isNew ? "created" : result };
}
