import type { AccountInput } from "../accounts/resource.ts";
import { upsertAccount } from "../accounts/store.ts";
import { type ContactInput, contactStore } from "../contacts/store.ts";
import { Problem, withPrefix } from "../core/errors.ts";
import { type UpsertResult, upsertRows } from "../core/resource/upsert-rows.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { type FeatureRequestInput, featureRequestStore } from "../feature-requests/store.ts";
import { type MeetingInput, meetingStore } from "../meetings/store.ts";
import { readStoredRows, type StoredRows } from "./stored-rows.ts";

type Keyed<Input> = Partial<Input> & { externalId: string };
/** An account with its sub-resources. A contact has an `externalId` or an `email`. */
export type AccountUpsert = {
  account: Omit<AccountInput, "externalId"> & { externalId: string };
  contacts: (Partial<Omit<ContactInput, "externalId">> & { externalId?: string })[];
  meetings: Keyed<MeetingInput>[];
  requests: Keyed<FeatureRequestInput>[];
};

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
  return upsertRows(
    tx,
    items,
    (item: AccountUpsert, index) => withPrefix(`/accounts/${index}`, () => upsertOne(tx, rows, item)),
    rows.keepChanges,
  );
}

/** Creates or updates one account. Changes `rows`, too. May run twice. */
async function upsertOne(
  tx: TenantTransaction,
  rows: StoredRows,
  { account: input, contacts, meetings, requests }: AccountUpsert,
): Promise<UpsertResult> {
  // Those of a failed attempt, which may be of this account.
  rows.discardChanges();
  const stored = rows.accounts.get(input.externalId);
  const { row: account, isNew } = await upsertAccount(tx, stored, input);
  rows.accounts.set(input.externalId, account);
  let isChanged = account !== stored;
  for (const [i, contact] of contacts.entries()) {
    const existing = rows.findContact(account.id, contact);
    const { row } = await withPrefix(`/contacts/${i}`, () =>
      contactStore.upsert(tx, existing, contact, account.id),
    );
    rows.setContact(existing, row);
    isChanged ||= row !== existing;
  }
  for (const [i, meeting] of meetings.entries()) {
    const existing = rows.meetings.get(meeting.externalId);
    const { row } = await withPrefix(`/meetings/${i}`, () =>
      meetingStore.upsert(tx, existing, meeting, account.id),
    );
    rows.meetings.set(meeting.externalId, row);
    isChanged ||= row !== existing;
  }
  for (const [i, request] of requests.entries()) {
    const existing = rows.requests.get(request.externalId);
    const { row } = await withPrefix(`/requests/${i}`, () =>
      featureRequestStore.upsert(tx, existing, request, account.id),
    );
    rows.requests.set(request.externalId, row);
    isChanged ||= row !== existing;
  }
  const result = isChanged ? "updated" : "unchanged";
  return { id: account.id, result: isNew ? "created" : result };
}
