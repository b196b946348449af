import { eq } from "drizzle-orm";
import { integerInput, isInJson, textInput } from "../../db/expressions.ts";
import { accounts } from "../../db/schema.ts";
import { notFound } from "./resource.ts";
import type { TenantSnapshot } from "./tenant.ts";
import { select } from "./tenant-statements.ts";

/** An account as callers name it: by its id or its external id. */
export type AccountReference = { accountId?: number | undefined; accountExternalId?: string | undefined };

const id = { id: accounts.id };
const byId = select("accountReference.byId", {
  fields: id,
  from: accounts,
  where: eq(accounts.id, integerInput("accountId")),
});
const byExternalId = select("accountReference.byExternalId", {
  fields: id,
  from: accounts,
  where: eq(accounts.externalId, textInput("externalId")),
});
const byExternalIds = select("accountReference.byExternalIds", {
  fields: { id: accounts.id, externalId: accounts.externalId },
  from: accounts,
  where: isInJson(accounts.externalId, textInput("externalIds")),
});

/** The id of the account in the organization, or undefined. `accountId` takes precedence over the external id. */
export async function findAccount(
  snapshot: TenantSnapshot,
  { accountId, accountExternalId: externalId }: AccountReference,
): Promise<number | undefined> {
  if (accountId !== undefined) return (await snapshot.first(byId, { accountId }))?.id;
  if (externalId === undefined) return undefined;
  return (await snapshot.first(byExternalId, { externalId }))?.id;
}

/** The ids of the accounts with these external ids, by external id. */
export async function findAccounts(
  snapshot: TenantSnapshot,
  externalIds: readonly string[],
): Promise<Map<string, number>> {
  const found = await snapshot.all(byExternalIds, { externalIds: JSON.stringify(externalIds) });
  return new Map(found.map(({ externalId, id }) => [externalId ?? "", id]));
}

/** The same as `findAccount`, but throws `not_found`. */
export async function requireAccount(snapshot: TenantSnapshot, reference: AccountReference): Promise<number> {
  const member = reference.accountId === undefined ? "externalId" : "id";
  return (await findAccount(snapshot, reference)) ?? notFound("account", member);
}
