import { eq } from "drizzle-orm";
import { accounts } from "../../db/schema.ts";
import { inputs, integerInput, textInput } from "../../db/statements.ts";
import { contactStore, embeddedContacts } from "../contacts/store.ts";
import { invalidField, Problem } from "../core/errors.ts";
import { fold } from "../core/folding.ts";
import type { Upserted } from "../core/resource.ts";
import { insert, select, type Tenant, type TenantTransaction, update } from "../core/tenant.ts";
import { parseTimestamp } from "../core/timestamps.ts";
import { attachPendingEvents } from "../events/pending.ts";
import { embeddedFeatureRequests } from "../feature-requests/store.ts";
import { beginHealth, healthIsDue, renameHealth, revalueHealth } from "../health-scores/stale.ts";
import { embeddedMeetings } from "../meetings/store.ts";
import { incrementAccountCount, moveAccountCount } from "./counts.ts";
import type { AccountChanges, NewAccount } from "./input.ts";
import type { AccountRow, AccountWithLists } from "./model.ts";
import { accountNotFound } from "./reference.ts";
import { markAccountStale } from "./search-index.ts";

/** The columns that a list shows. */
export const listedFields = {
  id: accounts.id,
  name: accounts.name,
  externalId: accounts.externalId,
  mrr: accounts.mrr,
  status: accounts.status,
  logoUrl: accounts.logoUrl,
  createdAt: accounts.createdAt,
  updatedAt: accounts.updatedAt,
};
const allColumns = { ...listedFields, contactActivityAt: accounts.contactActivityAt };
const indexedColumns = inputs("name", "foldedName", "externalId", "foldedExternalId", "status");
const plainColumns = inputs("mrr", "logoUrl", "contactActivityAt", "updatedAt");

const byId = eq(accounts.id, integerInput("id"));
const accountWithLists = select({
  fields: {
    ...listedFields,
    contacts: embeddedContacts,
    meetings: embeddedMeetings,
    requests: embeddedFeatureRequests,
  },
  from: accounts,
  where: byId,
});
const accountById = select({ fields: allColumns, from: accounts, where: byId });
const insertAccount = insert({
  into: accounts,
  values: { ...indexedColumns, ...plainColumns, ...inputs("createdAt") },
});
const updateWhole = update({ table: accounts, set: { ...indexedColumns, ...plainColumns }, where: byId });
// Most updates change no more. The indexes of what is not set, the names' among them, are not written then.
const updateFigures = update({ table: accounts, set: plainColumns, where: byId });
const accountByExternalId = select({
  fields: allColumns,
  from: accounts,
  where: eq(accounts.externalId, textInput("externalId")),
});

/** The account with its contacts, recent meetings and requests. Throws `not_found`. */
export async function getAccount(tenant: Tenant, id: number): Promise<AccountWithLists> {
  return (await tenant.rows.first(accountWithLists, { id, now: tenant.now })) ?? accountNotFound();
}

/**
 * Creates an account, and its first contact when a name or an e-mail address of one is given, together or
 * not at all. Throws `external_id_conflict`.
 */
export function createAccount(tenant: Tenant, given: NewAccount): Promise<AccountRow> {
  const { contactName, contactEmail = null, ...account } = given;
  const contact = contactName ?? contactEmail;
  return tenant.write(async (tx) => {
    const row = await insertRow(tenant, tx, { ...account, externalId: account.externalId || null });
    if (contact !== null)
      await contactStore.add(tx, row.id, { name: contact, email: contactEmail }, tenant.now);
    return row;
  });
}

/**
 * Changes the members that are given. When none differs from what is stored, nothing changes, `updatedAt`
 * included; otherwise `updatedAt` grows, by a millisecond at least.
 * Throws `no_valid_fields`, `invalid_request` for a moment in the future, `not_found`, `external_id_conflict`.
 */
export async function updateAccount(tenant: Tenant, id: number, given: AccountChanges): Promise<AccountRow> {
  const changes = changesOf(given, tenant.now);
  if (Object.keys(changes).length === 0) throw new Problem("no_valid_fields");
  return tenant.write(async (tx) =>
    applyChanges(tenant, tx, (await tx.first(accountById, { id })) ?? accountNotFound(), changes),
  );
}

/**
 * Creates the account with this external id, or changes it: members that are not given are left, and take
 * their defaults in a new one, which needs a name. Throws `invalid_request`.
 */
export async function putAccount(
  tenant: Tenant,
  externalId: string,
  given: Omit<AccountChanges, "externalId">,
): Promise<Upserted<AccountRow>> {
  const changes = changesOf(given, tenant.now);
  return tenant.write(async (tx) => {
    const stored = await tx.first(accountByExternalId, { externalId });
    if (stored) return { row: await applyChanges(tenant, tx, stored, changes), created: false };
    const { name } = changes;
    if (name === undefined) throw invalidField("/name", "required", "is required");
    return { row: await insertRow(tenant, tx, { ...changes, name, externalId }), created: true };
  });
}

/** What a new account has where nothing else is given. */
const defaults = { mrr: 0, status: "active", logoUrl: null, contactActivityAt: null } as const;

async function insertRow(
  tenant: Tenant,
  tx: TenantTransaction,
  given: Pick<AccountRow, "name" | "externalId"> & Partial<AccountRow>,
): Promise<AccountRow> {
  const { now } = tenant;
  const values = { ...defaults, ...given, createdAt: now, updatedAt: now };
  const inserted = { ...values, ...foldedTexts(values) };
  const row = { ...values, id: await tx.insert(insertAccount, inserted) };
  markAccountStale(tenant, row.id);
  await incrementAccountCount(tx, row.status);
  let isDue = row.contactActivityAt !== null;
  if (row.externalId !== null) isDue = (await attachPendingEvents(tx, row.id, row.externalId, now)) || isDue;
  await beginHealth(tx, { accountId: row.id, mrr: row.mrr, foldedName: inserted.foldedName, isDue });
  return row;
}

async function applyChanges(
  tenant: Tenant,
  tx: TenantTransaction,
  before: AccountRow,
  changes: Partial<AccountRow>,
): Promise<AccountRow> {
  const { now } = tenant;
  const { id } = before;
  const row = { ...before, ...changes };
  const differ = changedMembers(before, row);
  if (differ.size === 0) return before;
  row.updatedAt = Math.max(now, before.updatedAt + 1);
  const isSearched = differ.has("name") || differ.has("externalId") || differ.has("status");
  const texts = foldedTexts(row);
  if (isSearched) markAccountStale(tenant, id);
  await tx.run(isSearched ? updateWhole : updateFigures, { ...row, ...texts });
  if (differ.has("status")) await moveAccountCount(tx, before.status, row.status);
  if (differ.has("name")) await renameHealth(tx, { accountId: id, foldedName: texts.foldedName });
  if (differ.has("mrr")) await revalueHealth(tx, { accountId: id, mrr: row.mrr });
  let isDue = differ.has("status") || differ.has("contactActivityAt");
  if (row.externalId !== null && differ.has("externalId"))
    isDue = (await attachPendingEvents(tx, id, row.externalId, now)) || isDue;
  if (isDue) await healthIsDue(tx, id);
  return row;
}

function changesOf(given: AccountChanges, now: number): Partial<AccountRow> {
  const changes: Partial<AccountRow> = {};
  if (given.name !== undefined) changes.name = given.name;
  if (given.externalId !== undefined) changes.externalId = given.externalId || null;
  if (given.mrr !== undefined) changes.mrr = given.mrr;
  if (given.status !== undefined) changes.status = given.status;
  if (given.logoUrl !== undefined) changes.logoUrl = given.logoUrl;
  if (given.contactActivityAt !== undefined)
    changes.contactActivityAt = parsePastTimestamp(given.contactActivityAt, now);
  return changes;
}

function parsePastTimestamp(text: string | null, now: number): number | null {
  const moment = text === null ? null : parseTimestamp(text);
  if (moment === undefined) throw invalidField("/contactActivityAt", "invalid_timestamp", "must be a moment");
  if (moment !== null && moment > now)
    throw invalidField("/contactActivityAt", "in_future", "must not be in the future");
  return moment;
}

function changedMembers(before: AccountRow, after: AccountRow): Set<keyof AccountRow> {
  // Safe: both have the members of an AccountRow, and no others.
  const names = Object.keys(before) as (keyof AccountRow)[];
  return new Set(names.filter((name) => before[name] !== after[name]));
}

function foldedTexts({ name, externalId }: Pick<AccountRow, "name" | "externalId">) {
  return { foldedName: fold(name), foldedExternalId: externalId === null ? null : fold(externalId) };
}
