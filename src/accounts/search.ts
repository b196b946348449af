import { and, eq, or, type SQL } from "drizzle-orm";
import { accounts } from "../../db/schema.ts";
import { contains, integerInput, textInput } from "../../db/statements.ts";
import { fold } from "../core/folding.ts";
import type { Page } from "../core/list-query.ts";
import { offsetOf, type PageRequest, paginationOf } from "../core/paging.ts";
import { select, type Tenant } from "../core/tenant.ts";
import type { AccountListing } from "./input.ts";
import type { AccountRow } from "./model.ts";
import { searchIndexOf } from "./search-index.ts";
import { listedFields } from "./store.ts";
import { lowerBound, type SortPosition, sortedByName, type TextIndex } from "./text-index.ts";

/** The condition that the account's name or external id holds the text. */
export const hasText = or(
  contains(accounts.foldedName, textInput("search")),
  contains(accounts.foldedExternalId, textInput("search")),
);
const isOne = eq(accounts.id, integerInput("id"));
const byId = select({ fields: listedFields, from: accounts, where: isOne });
const [match, matchInStatus] = [matchThat(), matchThat(eq(accounts.status, textInput("status")))];

function matchThat(holds?: SQL) {
  const fields = { id: accounts.id, foldedName: accounts.foldedName };
  return select({ fields, from: accounts, where: and(isOne, hasText, holds) });
}

/** A page of the accounts with a text, by name, from the names that are held; undefined when they are not. */
export async function searchByName(
  tenant: Tenant,
  asked: PageRequest & AccountListing & { search: string },
): Promise<Page<Omit<AccountRow, "contactActivityAt">> | undefined> {
  const names = searchIndexOf(tenant);
  if (!names) return undefined;
  const { status } = asked;
  const search = fold(asked.search);
  const rows = names.haystack.find(search, status);
  // From here to the last read nothing lets a turn of the event loop end: all is of one moment.
  const statement = status === undefined ? match : matchInStatus;
  const found = await Promise.all(
    [...names.changed].map((id) => tenant.rows.first(statement, { id, search, status: status ?? "" })),
  );
  const changed = sortedByName(found.flatMap((account) => account ?? []));
  const total = rows.length + changed.length;
  const ids = idsOf(names.haystack, rows, changed, asked);
  const shown = await Promise.all(ids.map((id) => tenant.rows.first(byId, { id })));
  return { rows: shown.flatMap((row) => row ?? []), pagination: paginationOf(asked, total) };
}

/** The ids of the page: the rows of the names and the changed accounts are each in order, and one list together. */
function idsOf(
  haystack: TextIndex,
  rows: Uint32Array,
  changed: SortPosition[],
  asked: PageRequest & AccountListing,
): number[] {
  const total = rows.length + changed.length;
  const isDescending = asked.sortOrder === "desc";
  const offset = offsetOf(asked);
  const from = isDescending ? Math.max(0, total - offset - asked.pageSize) : offset;
  const to = Math.max(from, isDescending ? total - offset : Math.min(total, offset + asked.pageSize));
  const places = changed.map(
    (match, i) => i + lowerBound(rows.length, (place) => haystack.compare(rows[place] ?? 0, match)),
  );
  let next = places.findIndex((place) => place >= from);
  if (next === -1) next = changed.length;
  const ids: number[] = [];
  for (let place = from; place < to; place += 1) {
    const match = places[next] === place ? changed[next] : undefined;
    if (match) next += 1;
    ids.push(match ? match.id : haystack.idOf(rows[place - next] ?? 0));
  }
  return isDescending ? ids.reverse() : ids;
}
