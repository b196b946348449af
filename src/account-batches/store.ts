import { noteMarkedScore } from "../account-counts/stale-scores.ts";
import { type AccountInput, type AccountRow, accountResource } from "../accounts/resource.ts";
import { addressInUse, type ContactRow, findContactsByEmail } from "../contacts/store.ts";
import { Problem, withPrefix } from "../core/errors.ts";
import { foldAddress } from "../core/folding.ts";
import { type UpsertResult, upsertRows } from "../core/resource/upsert-rows.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import type { UndoableMap } from "../core/tenant/undoable-map.ts";
import { type SubResource, type SubResourceRow, subResources } from "../resources.ts";
import { type SubResourceName, subResourceNames } from "../shared/resources.ts";

/** The keys of a row to read. Only contacts have an address. */
type RowKeys = { externalId?: string; email?: string | null };
/** The keys of an account and its sub-resources to read. */
type UpsertKeys = { account: { externalId: string } } & {
  readonly [Name in SubResourceName]?: readonly RowKeys[];
};

/** The stored rows that a batch of accounts refers to, with the changes of the batch, which a failed attempt undoes. */
type StoredRows = Awaited<ReturnType<typeof readStoredRows>>;

/** Reads the rows: one statement for each resource, and one for the contacts that are found by their addresses. */
export async function readStoredRows(tx: TenantTransaction, items: readonly UpsertKeys[]) {
  const reads = subResourceNames.map(async (name) => {
    const { store }: SubResource = subResources[name];
    const rows = await store.findAllByExternalId(tx, idsOf(items.flatMap((item) => item[name] ?? [])));
    return [name, tx.createMap(byExternalId(rows))] as const;
  });
  const [accountRows, ...others] = await Promise.all([
    accountResource.findAllByExternalId(tx, idsOf(items.map(({ account }) => account))),
    ...reads,
  ]);
  const accounts = tx.createMap<AccountRow>(byExternalId(accountRows));
  // Safe: one entry for each sub-resource.
  const rowsOf = Object.fromEntries(others) as Record<SubResourceName, UndoableMap<SubResourceRow>>;
  // Safe: the rows of the store of contacts.
  const contacts = rowsOf.contacts as UndoableMap<ContactRow>;
  const emailKeys = items.flatMap(({ account, contacts: list = [] }) => {
    const accountId = accounts.get(account.externalId)?.id;
    if (accountId === undefined) return [];
    return list.flatMap(({ externalId, email }) => {
      const stored = externalId === undefined ? undefined : contacts.get(externalId);
      const isStored = stored && emailKey(stored) === emailKey({ accountId, email: email ?? null });
      return email && !isStored ? { accountId, email } : [];
    });
  });
  const found = await findContactsByEmail(tx, emailKeys);
  const foundIds = new Map(found.map((row) => [emailKey(row), row.id]));
  const contactsByEmail = tx.createMap<ContactRow>(
    [...Array.from(contacts.keys(), (id) => contacts.get(id)), ...found].flatMap((row) => {
      const key = row && emailKey(row);
      return row && key !== undefined ? [[key, row] as const] : [];
    }),
  );

  /** The contact with the external id, or else the account's contact with the address and without another id. */
  function findContact(accountId: number, { externalId, email = null }: RowKeys): ContactRow | undefined {
    const found = externalId === undefined ? undefined : contacts.get(externalId);
    if (found) return found;
    const key = emailKey({ accountId, email });
    const row = key === undefined ? undefined : contactsByEmail.get(key);
    // An address is unique in its account.
    return externalId === undefined || row?.externalId === null ? row : undefined;
  }

  /**
   * The index of the first contact of an account whose address belongs to a stored contact that is not one of these, or to
   * an earlier one of these with another external id. -1 without one, and where the unique index decides.
   */
  function findTakenAddress(accountId: number | undefined, list: readonly RowKeys[]): number {
    const ids = list.map((keys) => (accountId === undefined ? undefined : findContact(accountId, keys)?.id));
    const firsts = new Map<string, number>();
    for (const [i, { externalId, email = null }] of list.entries()) {
      const key = emailKey({ accountId: accountId ?? 0, email });
      if (key === undefined) continue;
      const owner = contactsByEmail.get(key)?.id;
      if (owner !== undefined && owner === foundIds.get(key) && !ids.includes(owner)) return i;
      const first = firsts.getOrInsert(key, i);
      if (first === i && (owner === undefined || owner === ids[i])) continue;
      const firstId = list[first]?.externalId;
      const isOnce = list.findLastIndex((other) => other.externalId === firstId) === first;
      const isOther = externalId !== undefined && firstId !== undefined && externalId !== firstId && isOnce;
      return isOther && (owner === undefined || owner === ids[first]) ? i : -1;
    }
    return -1;
  }

  /** Stores a contact that was created or updated. */
  function setContact(before: ContactRow | undefined, after: ContactRow): void {
    const oldKey = before && emailKey(before);
    // Another contact may have the key: see db/addresses.ts.
    const isOwn = (key: string) => (contactsByEmail.get(key)?.id ?? after.id) === after.id;
    if (oldKey !== undefined && isOwn(oldKey)) contactsByEmail.set(oldKey, undefined);
    const key = emailKey(after);
    if (key !== undefined && isOwn(key)) contactsByEmail.set(key, after);
    if (after.externalId !== null) contacts.set(after.externalId, after);
  }

  return {
    accounts,
    findContact,
    findTakenAddress,
    setContact,

    find(name: SubResourceName, accountId: number, keys: RowKeys): SubResourceRow | undefined {
      return name === "contacts" ? findContact(accountId, keys) : rowsOf[name].get(keys.externalId ?? "");
    },

    /** Stores a row of a sub-resource that was created or updated. */
    set(name: SubResourceName, before: SubResourceRow | undefined, after: SubResourceRow): void {
      // Safe: the rows of the store of contacts.
      if (name === "contacts") setContact(before as ContactRow | undefined, after as ContactRow);
      else rowsOf[name].set(after.externalId ?? "", after);
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

/** Whether a row can have no problem but an address that another contact has. */
function isPlain(members: { name?: string; email?: string | null }): boolean {
  const isValid = members.name !== undefined || typeof members.email === "string";
  return isValid && Object.keys(members).every((name) => plainMembers.has(name));
}

const plainMembers = new Set(["externalId", "name", "email", "mrr", "status"]);

/** Creates or updates one account. Changes `rows`, too. May run twice. */
async function upsertOne(
  tx: TenantTransaction,
  rows: StoredRows,
  { account: input, ...lists }: AccountUpsert,
): Promise<UpsertResult> {
  const stored = rows.accounts.get(input.externalId);
  const taken = rows.findTakenAddress(stored?.id, lists.contacts);
  const refused = lists.contacts[taken];
  const isRefused = refused !== undefined && isPlain(refused);
  const precede = [{ ...(stored && { name: stored.name }), ...input }, ...lists.contacts.slice(0, taken)];
  // Without a row that was written, the transaction does not run again. Of several problems, the first one is reported.
  if (isRefused && precede.every(isPlain)) throw addressInUse().withPrefix(`/contacts/${taken}`);
  // The score of an account with these rows is stale. Its own insert costs less than an update of the new row.
  const isMarked = lists.meetings.length > 0 || lists.requests.length > 0;
  const { row: account, isNew } = await accountResource.upsert(tx, { existing: stored, input, isMarked });
  if (isNew && isMarked) noteMarkedScore(tx, account.id);
  rows.accounts.set(input.externalId, account);
  let isChanged = account !== stored;
  for (const name of subResourceNames) {
    const { store }: SubResource = subResources[name];
    for (const [i, members] of lists[name].entries()) {
      if (isRefused && members === refused) throw addressInUse().withPrefix(`/contacts/${i}`);
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
