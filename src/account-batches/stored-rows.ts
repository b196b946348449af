import { type AccountRow, accountResource } from "../accounts/resource.ts";
import { type ContactRow, contactStore, findContactByEmail } from "../contacts/store.ts";
import { foldAddress } from "../core/folding.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { type FeatureRequestRow, featureRequestStore } from "../feature-requests/store.ts";
import { type MeetingRow, meetingStore } from "../meetings/store.ts";

/** Rows by key, with changes that can be discarded. */
class RowsByKey<Row> {
  readonly #rows: Map<string, Row | undefined>;
  readonly #changes = new Map<string, Row | undefined>();

  constructor(rows: Iterable<readonly [key: string, row: Row]>) {
    this.#rows = new Map(rows);
  }

  get(key: string): Row | undefined {
    return this.#changes.has(key) ? this.#changes.get(key) : this.#rows.get(key);
  }

  set(key: string, row: Row | undefined): void {
    this.#changes.set(key, row);
  }

  keepChanges(): void {
    for (const [key, row] of this.#changes) this.#rows.set(key, row);
    this.#changes.clear();
  }

  discardChanges(): void {
    this.#changes.clear();
  }
}

export type ContactKeys = { externalId?: string; email?: string | null };
/** The keys of the accounts and sub-resources to read. */
type UpsertKeys = {
  account: { externalId: string };
  contacts: readonly ContactKeys[];
  meetings: readonly { externalId: string }[];
  requests: readonly { externalId: string }[];
};

/** The stored rows that a batch of accounts refers to, with the changes of the batch. */
export type StoredRows = Awaited<ReturnType<typeof readStoredRows>>;

/** Reads the rows: one statement for each resource, and one for each contact that is found by its address. */
export async function readStoredRows(tx: TenantTransaction, items: readonly UpsertKeys[]) {
  const [accountRows, contactRows, meetingRows, requestRows] = await Promise.all([
    accountResource.findAllByExternalId(tx, idsOf(items.map(({ account }) => account))),
    contactStore.findAllByExternalId(tx, idsOf(items.flatMap(({ contacts }) => contacts))),
    meetingStore.findAllByExternalId(tx, idsOf(items.flatMap(({ meetings }) => meetings))),
    featureRequestStore.findAllByExternalId(tx, idsOf(items.flatMap(({ requests }) => requests))),
  ]);
  const accounts = new RowsByKey<AccountRow>(byExternalId(accountRows));
  const contacts = new RowsByKey<ContactRow>(byExternalId(contactRows));
  const meetings = new RowsByKey<MeetingRow>(byExternalId(meetingRows));
  const requests = new RowsByKey<FeatureRequestRow>(byExternalId(requestRows));
  const found = await Promise.all(
    items.flatMap(({ account, contacts: list }) => {
      const accountId = accounts.get(account.externalId)?.id;
      if (accountId === undefined) return [];
      return list.flatMap(({ externalId, email }) =>
        email && !(externalId !== undefined && contacts.get(externalId))
          ? findContactByEmail(tx, accountId, email)
          : [],
      );
    }),
  );
  const contactsByEmail = new RowsByKey<ContactRow>(
    [...contactRows, ...found].flatMap((row) => {
      const key = row && emailKey(row);
      return row && key !== undefined ? [[key, row] as const] : [];
    }),
  );
  const all = [accounts, contacts, meetings, requests, contactsByEmail];
  return {
    accounts,
    meetings,
    requests,

    /** The contact with the external id, or else the account's contact with the address and without another id. */
    findContact(accountId: number, { externalId, email = null }: ContactKeys): ContactRow | undefined {
      const found = externalId === undefined ? undefined : contacts.get(externalId);
      if (found) return found;
      const key = emailKey({ accountId, email });
      const row = key === undefined ? undefined : contactsByEmail.get(key);
      // An address is unique in its account.
      return externalId === undefined || row?.externalId === null ? row : undefined;
    },

    /** Stores a contact that was created or updated. */
    setContact(before: ContactRow | undefined, after: ContactRow): void {
      const oldKey = before && emailKey(before);
      // Another contact may have the key: see db/addresses.ts.
      const isOwn = (key: string) => (contactsByEmail.get(key)?.id ?? after.id) === after.id;
      if (oldKey !== undefined && isOwn(oldKey)) contactsByEmail.set(oldKey, undefined);
      const key = emailKey(after);
      if (key !== undefined && isOwn(key)) contactsByEmail.set(key, after);
      if (after.externalId !== null) contacts.set(after.externalId, after);
    },

    keepChanges: () => {
      for (const rows of all) rows.keepChanges();
    },
    discardChanges: () => {
      for (const rows of all) rows.discardChanges();
    },
  };
}

function idsOf(items: readonly { externalId?: string }[]): string[] {
  return [...new Set(items.flatMap(({ externalId }) => externalId ?? []))];
}

function byExternalId<Row extends { externalId: string | null }>(rows: readonly Row[]): [string, Row][] {
  return rows.flatMap((row): [string, Row][] => (row.externalId === null ? [] : [[row.externalId, row]]));
}

function emailKey({ accountId, email }: Pick<ContactRow, "accountId" | "email">): string | undefined {
  return email ? `${accountId} ${foldAddress(email)}` : undefined;
}
