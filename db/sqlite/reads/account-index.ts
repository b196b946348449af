import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import type { AccountMatches, AccountSearch, Snapshot } from "../../engine.ts";
import { allOf, contains, integerInput, isAfter, textInput } from "../../expressions.ts";
import { accountCounts, accounts } from "../../schema.ts";
import { select } from "../../statements.ts";
import { idSet } from "./id-set.ts";
import {
  type IndexedAccount,
  lowerBound,
  type SortPosition,
  sortedByName,
  type TextIndex,
} from "./text-index.ts";

const isOfOrganization = eq(accounts.organizationId, integerInput("organizationId"));
const isAccount = eq(accounts.id, integerInput("id"));
const hasText = sql`(${contains(accounts.foldedName, textInput("needle"))} or ${contains(accounts.foldedExternalId, textInput("needle"))})`;

const indexedFields = {
  id: accounts.id,
  foldedName: accounts.foldedName,
  foldedExternalId: accounts.foldedExternalId,
  status: accounts.status,
};
const nextAccounts = select("accountIndex.next", {
  fields: indexedFields,
  from: accounts,
  where: allOf(
    isOfOrganization,
    isAfter([accounts.foldedName, accounts.id], [textInput("name"), integerInput("id")], "asc"),
  ),
  orderBy: [asc(accounts.foldedName), asc(accounts.id)],
  paged: true,
});
const accountById = select("accountIndex.byId", {
  fields: indexedFields,
  from: accounts,
  where: allOf(isOfOrganization, isAccount),
});
const counts = select("accountIndex.counts", {
  fields: { count: accountCounts.count },
  from: accountCounts,
  where: eq(accountCounts.organizationId, integerInput("organizationId")),
});
const match = matchOf("accountIndex.match");
const matchInStatus = matchOf("accountIndex.matchInStatus", eq(accounts.status, textInput("status")));

function matchOf(name: string, condition?: SQL) {
  const fields = { id: accounts.id, foldedName: accounts.foldedName };
  return select(name, {
    fields,
    from: accounts,
    where: and(isOfOrganization, isAccount, hasText, condition),
  });
}

/** The stored number of an organization's accounts. */
export async function countIndexable(snapshot: Snapshot, organizationId: number): Promise<number> {
  const rows = await snapshot.all(counts, { organizationId });
  return rows.reduce((sum, { count }) => sum + count, 0);
}

/** Up to `limit` accounts after a position, in the order of the index. */
export function readAccountsAfter(
  snapshot: Snapshot,
  organizationId: number,
  after: { foldedName: string; id: number },
  limit: number,
): Promise<IndexedAccount[]> {
  const position = { name: after.foldedName, id: after.id };
  return snapshot.all(nextAccounts, { organizationId, ...position, limit, offset: 0 });
}

/** The accounts among these ids that exist. */
export async function readAccounts(
  snapshot: Snapshot,
  organizationId: number,
  ids: readonly number[],
): Promise<IndexedAccount[]> {
  const found = await Promise.all(ids.map((id) => snapshot.first(accountById, { organizationId, id })));
  return found.flatMap((account) => account ?? []);
}

/** The page of the rows that were found in an index and of the accounts that changed since it was read. */
export async function searchIndex(
  snapshot: Snapshot,
  { index, rows, changed }: { index: TextIndex; rows: number[]; changed: ReadonlySet<number> },
  search: AccountSearch,
): Promise<AccountMatches> {
  const { organizationId, needle, status, maxTotal = Number.POSITIVE_INFINITY } = search;
  const unchanged = index.withoutAccounts(rows, changed);
  const statement = status === undefined ? match : matchInStatus;
  const values = { organizationId, needle, status: status ?? "" };
  const found = await Promise.all([...changed].map((id) => snapshot.first(statement, { ...values, id })));
  const matches = sortedByName(found.flatMap((account) => account ?? []));
  const total = unchanged.length + matches.length;
  if (total <= maxTotal) return { ids: pageOf(index, unchanged, matches, search), total };
  const others = new Set(matches.map(({ id }) => id));
  let isUnchanged: ((id: number) => boolean) | undefined;
  const includes = (id: number) => {
    isUnchanged ??= idSet(unchanged, (row) => index.idOf(row), index.idRange);
    return isUnchanged(id) || others.has(id);
  };
  return { ids: [], total, includes };
}

/** Merges the rows of the index and the changed matches, both in order, up to the end of the page. */
function pageOf(
  index: TextIndex,
  rows: number[],
  changed: SortPosition[],
  { offset, limit, isDescending }: AccountSearch,
): number[] {
  const total = rows.length + changed.length;
  const from = isDescending ? Math.max(0, total - offset - limit) : offset;
  const to = Math.max(from, isDescending ? total - offset : Math.min(total, offset + limit));
  const positions = changed.map(
    (account, i) => i + lowerBound(rows.length, (row) => index.compare(rows[row] ?? 0, account)),
  );
  let next = positions.findIndex((position) => position >= from);
  if (next === -1) next = changed.length;
  const ids: number[] = [];
  for (let position = from; position < to; position += 1) {
    const account = positions[next] === position ? changed[next] : undefined;
    if (account) next += 1;
    ids.push(account ? account.id : index.idOf(rows[position - next] ?? 0));
  }
  return isDescending ? ids.reverse() : ids;
}
