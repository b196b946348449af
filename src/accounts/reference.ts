import { eq, sql } from "drizzle-orm";
import { accounts } from "../../db/schema.ts";
import { integerInput, textInput } from "../../db/statements.ts";
import { Problem } from "../core/errors.ts";
import { select, type TenantSnapshot } from "../core/tenant.ts";

/** How a caller names an account: by the id that the service gave, or by the caller's own. */
export type AccountReference = { accountId?: number | undefined; accountExternalId?: string | undefined };

const id = { id: accounts.id };
const byId = select({ fields: id, from: accounts, where: eq(accounts.id, integerInput("accountId")) });
const byExternalId = select({
  fields: id,
  from: accounts,
  where: eq(accounts.externalId, textInput("externalId")),
});

/** The id of the organization's account that is named, by `accountId` where both are given; else undefined. */
export async function findAccount(
  snapshot: TenantSnapshot,
  reference: AccountReference,
): Promise<number | undefined> {
  const { accountId, accountExternalId: externalId } = reference;
  if (accountId !== undefined) return (await snapshot.first(byId, { accountId }))?.id;
  if (externalId === undefined) return undefined;
  return (await snapshot.first(byExternalId, { externalId }))?.id;
}

const byExternalIds = select({
  fields: { id: accounts.id, externalId: accounts.externalId },
  from: accounts,
  where: sql`${accounts.externalId} in (select value from json_each(${textInput("externalIds")}))`,
});

/** The ids of the organization's accounts that have one of the external ids, by those. */
export async function findAccounts(
  snapshot: TenantSnapshot,
  externalIds: readonly string[],
): Promise<Map<string, number>> {
  const found = await snapshot.all(byExternalIds, { externalIds: JSON.stringify(externalIds) });
  return new Map(found.map(({ externalId, id }) => [externalId ?? "", id]));
}

/** The same, but throws `not_found` when there is none. */
export async function requireAccount(snapshot: TenantSnapshot, reference: AccountReference): Promise<number> {
  return (
    (await findAccount(snapshot, reference)) ??
    accountNotFound(reference.accountId === undefined ? "externalId" : "id")
  );
}

/** The answer for an account that is not there and for one of another organization: the same. */
export function accountNotFound(name = "id"): never {
  throw new Problem("not_found", { detail: `There is no account with this ${name} in your organization.` });
}
