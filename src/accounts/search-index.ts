import { asc, eq } from "drizzle-orm";
import { yieldToEventLoop } from "../../db/event-loop.ts";
import { accounts } from "../../db/schema.ts";
import { integerInput, isAfter, textInput } from "../../db/statements.ts";
import { select, type Tenant } from "../core/tenant.ts";
import { countAccounts } from "./counts.ts";
import { type IndexedAccount, TextIndex } from "./text-index.ts";

/** Plain numbers, which tests make smaller. */
export const searchIndexLimits = {
  /** Fewer accounts are searched as fast in the database; of more than so many altogether, the names are not held. */
  fewest: 2_000,
  mostAtAll: 500_000,
  /** Bytes of all texts that are held, of all organizations together. */
  mostBytes: 134_217_728,
  /** So many changed accounts are looked for in the database beside the names, before they are put among these. */
  manyChanged: 200,
  /** With more of them the database is searched until they are put there. */
  mostLookedFor: 2_000,
  /** With more still the names are let go, and read anew. */
  mostChanged: 20_000,
  /** Milliseconds between two readings of the names of an organization, and from when they had to make room for others. */
  readAgainAfter: 1_000,
  madeRoomFor: 60_000,
  /** How many accounts are read at once. */
  step: 1_000,
};

/** The names of one organization, and the accounts that have changed since they were read. */
type IndexEntry = {
  haystack?: TextIndex;
  changed: Set<number>;
  next?: Set<number>;
  /** Before this moment they are not read. */
  readFrom: number;
  usedAt: number;
};
/** Of the organizations of one database; the names of one at a time are read. */
type IndexCache = { all: Map<number, IndexEntry>; isReading: boolean };
const caches = new WeakMap<object, IndexCache>();

/**
 * Notes, in the transaction that changes it, that an account's name, external id or status is not what was
 * read. When the transaction is taken back, it is looked for in the database in vain, and found as it is.
 */
export function markAccountStale({ database, organizationId }: Tenant, accountId: number): void {
  const names = caches.get(database)?.all.get(organizationId);
  names?.next?.add(accountId);
  if (!names?.haystack) return;
  names.haystack.markStale(accountId);
  names.changed.add(accountId);
  if (names.changed.size > searchIndexLimits.mostChanged) delete names.haystack;
}

/**
 * The names as they were read, and the accounts that have changed since, which do not stand among them;
 * undefined when they are not held. Then they are read, for the next who asks.
 */
export function searchIndexOf(
  tenant: Tenant,
): { haystack: TextIndex; changed: ReadonlySet<number> } | undefined {
  const { database, organizationId } = tenant;
  const own: IndexCache = caches.get(database) ?? { all: new Map(), isReading: false };
  caches.set(database, own);
  const names = own.all.get(organizationId) ?? { changed: new Set(), readFrom: 0, usedAt: 0 };
  own.all.set(organizationId, names);
  names.usedAt = performance.now();
  const { haystack, changed, next, readFrom } = names;
  if (haystack && !next && changed.size > searchIndexLimits.manyChanged)
    void mergeChanges(tenant, names, own);
  if (haystack && changed.size <= searchIndexLimits.mostLookedFor) return { haystack, changed };
  if (!haystack && !next && !own.isReading && performance.now() >= readFrom)
    void buildIndex(tenant, names, own);
  return undefined;
}

const searched = {
  id: accounts.id,
  foldedName: accounts.foldedName,
  foldedExternalId: accounts.foldedExternalId,
  status: accounts.status,
};
const inOrder = select({
  fields: searched,
  from: accounts,
  where: isAfter([accounts.foldedName, accounts.id], [textInput("name"), integerInput("id")], "asc"),
  orderBy: [asc(accounts.foldedName), asc(accounts.id)],
  paged: true,
});

/** Reads the names in steps, while others go on; what changes meanwhile is noted. */
async function buildIndex(tenant: Tenant, names: IndexEntry, own: IndexCache): Promise<void> {
  const next = new Set<number>();
  names.next = next;
  own.isReading = true;
  let again = searchIndexLimits.readAgainAfter;
  try {
    const count = await countAccounts(tenant);
    if (count < searchIndexLimits.fewest || count > searchIndexLimits.mostAtAll) return;
    // What was changed before this, and noted in the set before, is on the disk after it.
    await tenant.write(async () => {});
    const haystack = new TextIndex();
    let last = { foldedName: "", id: 0 };
    for (let isMore = true; isMore; await yieldToEventLoop()) {
      const after = { name: last.foldedName, id: last.id, limit: searchIndexLimits.step, offset: 0 };
      const found: IndexedAccount[] = await tenant.rows.all(inOrder, after);
      for (const account of found) haystack.push(account);
      if (haystack.size > searchIndexLimits.mostBytes) {
        again = searchIndexLimits.madeRoomFor;
        return;
      }
      isMore = found.length === searchIndexLimits.step;
      last = found.at(-1) ?? last;
    }
    if (next.size > searchIndexLimits.mostChanged) return;
    if (next.size > 0) haystack.markAllStale(next);
    Object.assign(names, { haystack, changed: next });
  } catch {
    // The database is closed, or cannot be read now: searches say so themselves.
  } finally {
    delete names.next;
    own.isReading = false;
    names.readFrom = performance.now() + again;
    evict(own);
  }
}

const oneById = select({ fields: searched, from: accounts, where: eq(accounts.id, integerInput("id")) });

/** Puts the accounts that have changed among the names, in steps; what changes meanwhile is noted. */
async function mergeChanges(tenant: Tenant, names: IndexEntry, own: IndexCache): Promise<void> {
  const { haystack: old } = names;
  const next = new Set<number>();
  names.next = next;
  try {
    await tenant.write(async () => {});
    const ids = [...names.changed];
    const found: IndexedAccount[] = [];
    for (let start = 0; start < ids.length; start += searchIndexLimits.step) {
      if (start > 0) await yieldToEventLoop();
      const some = ids
        .slice(start, start + searchIndexLimits.step)
        .map((id) => tenant.rows.first(oneById, { id }));
      for (const account of await Promise.all(some)) if (account) found.push(account);
    }
    const haystack = await old?.mergedWith(found, yieldToEventLoop);
    if (!haystack || names.haystack !== old) return;
    for (const id of next) haystack.markStale(id);
    Object.assign(names, { haystack, changed: next });
  } catch {
    // As above.
  } finally {
    delete names.next;
    evict(own);
  }
}

/** Lets those go that were not searched for longest, for a while. */
function evict({ all }: IndexCache): void {
  let room = searchIndexLimits.mostAtAll;
  let bytes = searchIndexLimits.mostBytes;
  for (const names of [...all.values()].sort((a, b) => b.usedAt - a.usedAt)) {
    room -= names.haystack?.count ?? 0;
    bytes -= names.haystack?.size ?? 0;
    if ((room >= 0 && bytes >= 0) || !names.haystack) continue;
    delete names.haystack;
    names.readFrom = performance.now() + searchIndexLimits.madeRoomFor;
  }
}
