import { invalidField, Problem } from "../core/errors.ts";
import { type AccountReference, findAccounts } from "../core/resource/account-reference.ts";
import { notFound } from "../core/resource/resource.ts";
import { type UpsertResult, upsertRows } from "../core/resource/upsert-rows.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { type SubResource, subResources } from "../resources.ts";
import type { SubResourceName } from "../shared/resources.ts";

/** An exported id can be another account's id in this database. */
const foreignAccountId =
  'of an export counts only for the rows that were exported: fill accountExternalId, or add --map "accountId=accountId" if the ids are of this database';

/**
 * A row that is valid by the schema of its resource. `id`: of a row of an export, which `accountId` belongs to.
 * `isNameKept`: the name is only for a new row.
 */
export type ImportedRow = { externalId: string; id?: unknown; isNameKept?: boolean } & AccountReference &
  Readonly<Record<string, unknown>>;

/** Creates or updates rows of a sub-resource by `externalId`, as `upsertRows`. No two rows have the same `externalId`. */
export async function importRows(
  tx: TenantTransaction,
  resource: SubResourceName,
  items: readonly (ImportedRow | Problem)[],
): Promise<UpsertResult[]> {
  const { store }: SubResource = subResources[resource];
  const valid = items.flatMap((item) => (item instanceof Problem ? [] : item));
  const ids = valid.map(({ externalId }) => externalId);
  const [rows, accountOf] = await Promise.all([
    store.findAllByExternalId(tx, ids),
    findAccounts(tx, valid.map(referenceOf)),
  ]);
  const stored = new Map(rows.map((row) => [row.externalId, row]));
  return upsertRows(tx, items, async (item: ImportedRow) => {
    const { accountId, accountExternalId, id, isNameKept, name, ...others } = item;
    const account = accountOf(referenceOf(item));
    const hasReference = accountId !== undefined || accountExternalId !== undefined;
    if (hasReference && account === undefined) notFound("account", accountExternalId ?? accountId ?? 0);
    const existing = stored.get(item.externalId);
    const isStored = String(existing?.id) === String(id) && existing?.accountId === accountId;
    if (id !== undefined && accountId !== undefined && accountExternalId === undefined && !isStored)
      throw invalidField("/accountId", "not_allowed", foreignAccountId);
    const input = { ...others, ...(name !== undefined && !(existing && isNameKept) && { name }) };
    const { row, isNew } = await store.upsert(tx, { existing, input, accountId: account });
    if (isNew) return { id: row.id, result: "created" };
    return { id: row.id, result: row === existing ? "unchanged" : "updated" };
  });
}

/** The external id is used first: ids of an exported file may belong to other accounts here. */
function referenceOf({ accountId, accountExternalId }: AccountReference): AccountReference {
  return accountExternalId === undefined ? { accountId } : { accountExternalId };
}
