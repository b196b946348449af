import { asc, eq } from "drizzle-orm";
import { nextTurn } from "../../db/connection.ts";
import { accounts } from "../../db/schema.ts";
import { integerInput, isAfter, textInput } from "../../db/statements.ts";
import { countAccounts } from "../account-counts.ts";
import { select, type Tenant } from "../tenant.ts";
import { Haystack, type SearchedAccount } from "./haystack.ts";

/** Fewer accounts are searched as fast in the database; of more than so many altogether, the names are not held. */
const fewest = 2_000;
const mostAtAll = 500_000;
/** So many changed accounts are looked for in the database beside the names, before they are put among these. */
const manyChanged = 200;
/** After so many changes at a time the names are let go, and read anew. */
const mostChanged = 2_000;
/** Milliseconds between two readings of the names of an organization. */
const readAgainAfter = 1_000;
/** How many accounts are read at once. */
const step = 1_000;

/** The names of one organization, and the accounts that have changed since they were read. */
type Names = {
  haystack?: Haystack;
  changed: Set<number>;
  next?: Set<number>;
  readAt: number;
  usedAt: number;
};
const held = new WeakMap<object, Map<number, Names>>();

/**
 * Notes, in the transaction that changes it, that an account's name, external id or status is not what was
 * read. When the transaction is taken back, it is looked for in the database in vain, and found as it is.
 */
export function noteChanged({ database, organizationId }: Tenant, accountId: number): void {
  const names = held.get(database)?.get(organizationId);
  names?.next?.add(accountId);
  if (!names?.haystack) return;
  names.haystack.forget(accountId);
  names.changed.add(accountId);
  if (names.changed.size > mostChanged) delete names.haystack;
}

/**
 * The names as they were read, and the accounts that have changed since, which do not stand among them;
 * undefined when they are not held. Then they are read, for the next who asks.
 */
export function namesOf(tenant: Tenant): { haystack: Haystack; changed: ReadonlySet<number> } | undefined {
  const { database, organizationId } = tenant;
  const all = held.get(database) ?? new Map<number, Names>();
  held.set(database, all);
  const names = all.get(organizationId) ?? {
    changed: new Set(),
    readAt: Number.NEGATIVE_INFINITY,
    usedAt: 0,
  };
  all.set(organizationId, names);
  names.usedAt = performance.now();
  const { haystack, changed, next, readAt } = names;
  if (haystack && !next && changed.size > manyChanged) void renew(tenant, names, haystack);
  if (haystack) return { haystack, changed };
  if (!next && performance.now() - readAt > readAgainAfter) void read(tenant, names, all);
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
async function read(tenant: Tenant, names: Names, all: Map<number, Names>): Promise<void> {
  names.readAt = performance.now();
  const next = new Set<number>();
  names.next = next;
  try {
    const count = await countAccounts(tenant);
    if (count < fewest || count > mostAtAll) return;
    // What was changed before this, and noted in the set before, is on the disk after it.
    await tenant.write(async () => {});
    const haystack = new Haystack();
    let last = { foldedName: "", id: 0 };
    for (let isMore = true; isMore; await nextTurn()) {
      const after = { name: last.foldedName, id: last.id };
      const found: SearchedAccount[] = await tenant.rows.all(inOrder, { ...after, limit: step, offset: 0 });
      for (const account of found) haystack.push(account);
      isMore = found.length === step;
      last = found.at(-1) ?? last;
    }
    if (next.size > mostChanged) return;
    if (next.size > 0) haystack.forgetAll(next);
    Object.assign(names, { haystack, changed: next });
    makeRoom(all);
  } catch {
    // The database is closed, or cannot be read now: searches say so themselves.
  } finally {
    names.readAt = performance.now();
    delete names.next;
  }
}

const oneById = select({ fields: searched, from: accounts, where: eq(accounts.id, integerInput("id")) });

/** Puts the accounts that have changed among the names; what changes meanwhile is noted. */
async function renew(tenant: Tenant, names: Names, old: Haystack): Promise<void> {
  const next = new Set<number>();
  names.next = next;
  try {
    await tenant.write(async () => {});
    const found = await Promise.all([...names.changed].map((id) => tenant.rows.first(oneById, { id })));
    if (names.haystack !== old) return;
    const settled = found.flatMap((account) => (account && !next.has(account.id) ? account : []));
    Object.assign(names, { haystack: old.merged(settled), changed: next });
  } catch {
    // As above.
  } finally {
    delete names.next;
  }
}

/** Lets those go that were not searched for longest. */
function makeRoom(all: Map<number, Names>): void {
  let room = mostAtAll;
  for (const [organizationId, { haystack }] of [...all].sort(([, a], [, b]) => b.usedAt - a.usedAt)) {
    room -= haystack?.count ?? 0;
    if (room < 0) all.delete(organizationId);
  }
}
