import { eq, type SQL } from "drizzle-orm";
import { integerInput, isInJson, pick, textInput } from "../../../db/expressions.ts";
import { accounts } from "../../../db/schema.ts";
import { isUniqueInJson, select } from "../tenant/statements.ts";
import type { TenantSnapshot, TenantTransaction } from "../tenant/transaction.ts";
import { notFound } from "./resource.ts";

/** An account as callers name it: by its id or its external id. */
export type AccountReference = { accountId?: number | undefined; accountExternalId?: string | undefined };

/** The kind of the ids that `keepAccounts` keeps. */
const KEPT = "account id";

const idWhere = (name: string, where: SQL, key?: string[]) =>
  select(`accountReference.${name}`, {
    fields: { id: accounts.id },
    from: accounts,
    where,
    ...(key && { key }),
  });
const byId = idWhere("byId", eq(accounts.id, integerInput("accountId")), ["accountId"]);
const byExternalId = idWhere("byExternalId", eq(accounts.externalId, textInput("externalId")));
const byIds = idWhere("byIds", isInJson(accounts.id, textInput("accountIds")));
const byExternalIds = select("accountReference.byExternalIds", {
  fields: pick(accounts, "id", "externalId"),
  from: accounts,
  where: isUniqueInJson(
    { from: accounts, id: accounts.id, text: accounts.externalId },
    textInput("externalIds"),
  ),
  isByIds: true,
});
const externalIdsOf = select("accountReference.externalIds", {
  // No index has `version`: otherwise SQLite would read all of the index of external ids.
  fields: pick(accounts, "id", "externalId", "version"),
  from: accounts,
  where: isInJson(accounts.id, textInput("accountIds")),
});

export async function readAccountExternalIds(
  snapshot: TenantSnapshot,
  accountIds: Iterable<number>,
): Promise<Map<number, string | null>> {
  const rows = await snapshot.all(externalIdsOf, { accountIds: JSON.stringify([...new Set(accountIds)]) });
  return new Map(rows.map(({ id, externalId }) => [id, externalId]));
}

/** The id of the account in the organization, or undefined. `accountId` takes precedence over the external id. */
export async function findAccount(
  snapshot: TenantSnapshot,
  { accountId, accountExternalId: externalId }: AccountReference,
): Promise<number | undefined> {
  // Safe: `keepAccounts` keeps ids.
  const kept = snapshot.readRow(KEPT, accountId ?? externalId ?? "") as { id: number } | null | undefined;
  if (kept !== undefined) return kept?.id;
  if (accountId !== undefined) return (await snapshot.first(byId, { accountId }))?.id;
  if (externalId === undefined) return undefined;
  return (await snapshot.first(byExternalId, { externalId }))?.id;
}

/** Reads the accounts of many references by two statements. Returns `findAccount` for these references. */
export async function findAccounts(
  snapshot: TenantSnapshot,
  references: readonly AccountReference[],
): Promise<(reference: AccountReference) => number | undefined> {
  const wantedIds = new Set(references.flatMap(({ accountId }) => accountId ?? []));
  const wantedExternalIds = new Set(
    references.flatMap(({ accountId, accountExternalId }) =>
      accountId === undefined ? (accountExternalId ?? []) : [],
    ),
  );
  const [foundIds, found] = await Promise.all([
    wantedIds.size > 0 ? snapshot.all(byIds, { accountIds: JSON.stringify([...wantedIds]) }) : [],
    wantedExternalIds.size > 0
      ? snapshot.all(byExternalIds, { externalIds: JSON.stringify([...wantedExternalIds]) })
      : [],
  ]);
  const ids = new Set(foundIds.map(({ id }) => id));
  const idsByExternalId = new Map(found.map(({ externalId, id }) => [externalId, id]));
  return ({ accountId, accountExternalId }) => {
    if (accountId !== undefined) return ids.has(accountId) ? accountId : undefined;
    if (accountExternalId === undefined) return undefined;
    return idsByExternalId.get(accountExternalId);
  };
}

/** Reads accounts that `findAccount` will find, by two statements. */
export async function keepAccounts(
  tx: TenantTransaction,
  references: readonly AccountReference[],
): Promise<void> {
  const accountOf = await findAccounts(tx, references);
  for (const reference of references) {
    const id = accountOf(reference);
    const key = reference.accountId ?? reference.accountExternalId;
    if (key !== undefined) tx.keepRow(KEPT, key, id === undefined ? null : { id });
  }
}

/** Finds an account as `findAccount` does; throws `not_found` if the account does not exist. */
export async function requireAccount(snapshot: TenantSnapshot, reference: AccountReference): Promise<number> {
  const key = reference.accountId ?? reference.accountExternalId ?? "";
  return (await findAccount(snapshot, reference)) ?? notFound("account", key);
}
