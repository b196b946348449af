import { eq, sql } from "drizzle-orm";
import { type AccountStatus, accountCounts, accounts } from "../../db/schema.ts";
import { inputs, integerInput, textInput } from "../../db/statements.ts";
import { noAccount } from "../account-reference.ts";
import { contactStore, embeddedContacts } from "../contacts/store.ts";
import { invalidField, Problem } from "../errors.ts";
import { fold } from "../folding.ts";
import { embeddedMeetings } from "../meetings/store.ts";
import { embeddedRequests } from "../requests/store.ts";
import { insert, type OwnRows, select, type Tenant, update } from "../tenant.ts";
import { parseTimestamp } from "../timestamps.ts";
import type { AccountChanges, NewAccount } from "./input.ts";
import type { AccountRow, AccountWithLists } from "./model.ts";

/** The columns that a list shows. */
export const listed = {
  id: accounts.id,
  name: accounts.name,
  externalId: accounts.externalId,
  mrr: accounts.mrr,
  status: accounts.status,
  logoUrl: accounts.logoUrl,
  createdAt: accounts.createdAt,
  updatedAt: accounts.updatedAt,
};
const whole = { ...listed, contactActivityAt: accounts.contactActivityAt };
const written = inputs(
  "name",
  "foldedName",
  "externalId",
  "foldedExternalId",
  "mrr",
  "status",
  "logoUrl",
  "contactActivityAt",
  "updatedAt",
);

const byId = eq(accounts.id, integerInput("id"));
const accountWithLists = select({
  fields: { ...listed, contacts: embeddedContacts, meetings: embeddedMeetings, requests: embeddedRequests },
  from: accounts,
  where: byId,
});
const accountById = select({ fields: whole, from: accounts, where: byId });
const insertAccount = insert({
  into: accounts,
  values: { ...written, ...inputs("createdAt") },
  returning: whole,
});
const updateAccountById = update({ table: accounts, set: written, where: byId, returning: whole });
const { count } = accountCounts;
const countOneMore = insert({
  into: accountCounts,
  values: { ...inputs("status"), count: sql`1` },
  returning: { count },
  onConflict: {
    target: [accountCounts.organizationId, accountCounts.status],
    set: { count: sql`${count} + 1` },
  },
});
const countOneLess = update({
  table: accountCounts,
  set: { count: sql`${count} - 1` },
  where: eq(accountCounts.status, textInput("status")),
  returning: { count },
});

/** The account with its contacts, recent meetings and requests. Throws `not_found`. */
export async function getAccount(tenant: Tenant, id: number): Promise<AccountWithLists> {
  return (await tenant.rows.first(accountWithLists, { id, now: tenant.now })) ?? noAccount();
}

/**
 * Creates an account, and its first contact when a name or an e-mail address of one is given, together or
 * not at all. Throws `external_id_conflict`.
 */
export function createAccount(tenant: Tenant, given: NewAccount): Promise<AccountRow> {
  const { now } = tenant;
  const { name, mrr = 0, status = "active", contactName, contactEmail = null } = given;
  const contact = contactName ?? contactEmail;
  return tenant.write(async (rows) => {
    const account = { name, externalId: given.externalId || null, mrr, status, logoUrl: null };
    const values = { ...account, contactActivityAt: null, createdAt: now, updatedAt: now };
    const row = (await rows.first(insertAccount, { ...values, ...folded(values) })) ?? noAccount();
    await rows.first(countOneMore, { status });
    if (contact !== null) await contactStore.add(rows, row.id, { name: contact, email: contactEmail }, now);
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
  return tenant.write(async (rows) => {
    const before = (await rows.first(accountById, { id })) ?? noAccount();
    const after = { ...before, ...changes };
    if (isSame(before, after)) return before;
    after.updatedAt = Math.max(tenant.now, before.updatedAt + 1);
    const row = (await rows.first(updateAccountById, { ...after, ...folded(after) })) ?? noAccount();
    if (before.status !== row.status) await moveBetween(rows, before.status, row.status);
    return row;
  });
}

function changesOf(given: AccountChanges, now: number): Partial<AccountRow> {
  const changes: Partial<AccountRow> = {};
  if (given.name !== undefined) changes.name = given.name;
  if (given.externalId !== undefined) changes.externalId = given.externalId || null;
  if (given.mrr !== undefined) changes.mrr = given.mrr;
  if (given.status !== undefined) changes.status = given.status;
  if (given.logoUrl !== undefined) changes.logoUrl = given.logoUrl;
  if (given.contactActivityAt !== undefined)
    changes.contactActivityAt = momentOf(given.contactActivityAt, now);
  if (Object.keys(changes).length === 0) throw new Problem("no_valid_fields");
  return changes;
}

function momentOf(text: string | null, now: number): number | null {
  const moment = text === null ? null : parseTimestamp(text);
  if (moment === undefined) throw invalidField("/contactActivityAt", "invalid_timestamp", "must be a moment");
  if (moment !== null && moment > now)
    throw invalidField("/contactActivityAt", "in_future", "must not be in the future");
  return moment;
}

function isSame(before: AccountRow, after: AccountRow): boolean {
  return (Object.keys(before) as (keyof AccountRow)[]).every((name) => before[name] === after[name]);
}

function folded({ name, externalId }: Pick<AccountRow, "name" | "externalId">) {
  return { foldedName: fold(name), foldedExternalId: externalId === null ? null : fold(externalId) };
}

async function moveBetween(rows: OwnRows, from: AccountStatus, to: AccountStatus): Promise<void> {
  await rows.first(countOneLess, { status: from });
  await rows.first(countOneMore, { status: to });
}
