import { asc, desc, eq } from "drizzle-orm";
import { integerInput, isInJson, textInput, withoutIndex } from "../../db/expressions.ts";
import { type AccountStatus, accounts } from "../../db/schema.ts";
import { countAccounts } from "../account-counts/counts.ts";
import { fold } from "../core/folding.ts";
import { offsetOf, type PageRequest, paginationOf, type SortOrder } from "../core/lists/paging.ts";
import type { Page } from "../core/lists/query.ts";
import { select } from "../core/tenant/statements.ts";
import type { TenantSnapshot } from "../core/tenant/tenant.ts";
import { type AccountRow, listedFields } from "./resource.ts";

export type ListedAccountRow = Omit<
  AccountRow,
  "contactActivityAt" | "attributes" | "version" | "memberTimes"
>;
const otherOrders = {
  mrr: accounts.mrr,
  createdAt: accounts.createdAt,
  updatedAt: accounts.updatedAt,
};
type OtherOrder = keyof typeof otherOrders;
type SearchQuery = PageRequest & {
  search: string;
  status?: AccountStatus | undefined;
  sortBy?: string | undefined;
  sortOrder?: SortOrder | undefined;
};

const byId = select("accounts.listedById", {
  fields: listedFields,
  from: accounts,
  where: eq(accounts.id, integerInput("id")),
});
const statementsBy = {
  mrr: statementsInOrderOf("mrr"),
  createdAt: statementsInOrderOf("createdAt"),
  updatedAt: statementsInOrderOf("updatedAt"),
};

function statementsInOrderOf(column: OtherOrder) {
  const statementsIn = (order: SortOrder) => {
    const direction = order === "asc" ? asc : desc;
    return {
      /** The ids of all accounts in the order, from an index alone. */
      allIds: select(`accounts.idsBy.${column}.${order}`, {
        fields: { id: accounts.id },
        from: accounts,
        orderBy: [direction(otherOrders[column]), direction(accounts.id)],
        paged: true,
      }),
      /** Some accounts, sorted when they are read. */
      sorted: select(`accounts.sortedBy.${column}.${order}`, {
        fields: listedFields,
        from: accounts,
        where: isInJson(accounts.id, textInput("ids")),
        orderBy: [direction(withoutIndex(otherOrders[column])), direction(accounts.id)],
        paged: true,
      }),
    };
  };
  return { asc: statementsIn("asc"), desc: statementsIn("desc") };
}

function isOtherOrder(sortBy: string): sortBy is OtherOrder {
  return Object.hasOwn(otherOrders, sortBy);
}

/** Matches that are read and sorted together with other filters: about a millisecond. */
const maxFewMatches = 500;
/** Matches that are sorted when they are read, in another order than that of the index of names: a millisecond. */
const maxSortedMatches = 1_000;
/** Ids that are read in another order until a page of matches is found: some milliseconds. */
const maxWalkedIds = 5_000;
const walkedIdsAtOnce = 1_000;

/**
 * A page of matches from the index of account names. Undefined without such an index, and when the page cannot be found
 * in some milliseconds.
 */
export async function searchPage(
  snapshot: TenantSnapshot,
  query: SearchQuery,
): Promise<Page<ListedAccountRow> | undefined> {
  const { search, sortBy = "name", sortOrder = "asc", status, pageSize } = query;
  // The list reads these orders.
  if (sortBy !== "name" && !isOtherOrder(sortBy)) return undefined;
  const offset = offsetOf(query);
  const page =
    sortBy === "name"
      ? { isDescending: sortOrder === "desc", limit: pageSize, offset }
      : { isDescending: false, limit: maxSortedMatches, offset: 0, maxTotal: maxSortedMatches };
  const matches = await snapshot.searchAccounts({ needle: fold(search), status, ...page });
  if (!matches) return undefined;
  const { ids, total, includes } = matches;
  const pagination = paginationOf(query, total);
  if (sortBy === "name") return { rows: await readRows(snapshot, ids), pagination };
  if (includes) {
    const found = await walk(snapshot, includes, { sortBy, sortOrder, offset, limit: pageSize, total });
    return found && { rows: await readRows(snapshot, found), pagination };
  }
  const { sorted } = statementsBy[sortBy][sortOrder];
  const rows = await snapshot.all(sorted, { ids: JSON.stringify(ids), limit: pageSize, offset });
  return { rows, pagination };
}

/** The ids of the matches, if they are few and there is an index of account names now. */
export async function findFewMatches(
  snapshot: TenantSnapshot,
  search: string,
): Promise<number[] | undefined> {
  const page = { isDescending: false, limit: maxFewMatches, offset: 0, maxTotal: maxFewMatches };
  const matches = await snapshot.searchAccounts({ needle: fold(search), status: undefined, ...page });
  return matches?.includes ? undefined : matches?.ids;
}

async function readRows(snapshot: TenantSnapshot, ids: readonly number[]): Promise<ListedAccountRow[]> {
  const found = await Promise.all(ids.map((id) => snapshot.first(byId, { id })));
  return found.flatMap((row) => row ?? []);
}

type Walk = { sortBy: OtherOrder; sortOrder: SortOrder; offset: number; limit: number; total: number };

/**
 * Reads the ids of all accounts in the order of the page, from its nearer end, up to the page. Returns those of the page;
 * undefined when too many would be read.
 */
async function walk(
  snapshot: TenantSnapshot,
  includes: (id: number) => boolean,
  { sortBy, sortOrder, offset, limit, total }: Walk,
): Promise<number[] | undefined> {
  const count = Math.max(0, Math.min(limit, total - offset));
  const after = total - offset - count;
  const isReversed = after < offset;
  const skipped = isReversed ? after : offset;
  const expectedIds = ((skipped + count) * (await countAccounts(snapshot))) / total;
  if (expectedIds > maxWalkedIds) return undefined;
  const { allIds } = statementsBy[sortBy][(sortOrder === "asc") === isReversed ? "desc" : "asc"];
  const found: number[] = [];
  for (let read = 0; found.length < skipped + count; read += walkedIdsAtOnce) {
    const rows = await snapshot.all(allIds, { limit: walkedIdsAtOnce, offset: read });
    for (const { id } of rows) if (includes(id)) found.push(id);
    if (rows.length < walkedIdsAtOnce) break;
    // The matches are at the other end of the order.
    if (read >= 2 * maxWalkedIds) return undefined;
  }
  const ids = found.slice(skipped, skipped + count);
  return isReversed ? ids.reverse() : ids;
}
