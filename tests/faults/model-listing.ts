import { attributeSortValue } from "./model-attributes.ts";
import { matches } from "./model-filters.ts";
import { type Body, fold, kinds, paged, type Row, sorted } from "./model-rows.ts";
import type { Asked } from "./model-rules.ts";

/** The position of a row in a list: its sort value and its id. */
export type Position = { value: unknown; id: number };

/** The page of a list of these rows that is requested by page or by cursor. */
export function listed(rows: readonly Row[], asked: Asked, view: (row: Row) => Body) {
  const { query, after } = asked;
  const all = ordered(rows, asked);
  if (query.cursor === undefined) return paged(all.map(view), query);
  const pageSize = Number(query.pageSize ?? 25);
  const following = after ? all.filter((row) => isAfter(row, after, asked)) : all;
  const hasNextPage = following.length > pageSize;
  const pagination = { pageSize, hasNextPage, nextCursor: hasNextPage ? "more" : null };
  return { data: following.slice(0, pageSize).map(view), pagination };
}

/** The rows that match the filters, in the order of the list. */
export function ordered(rows: readonly Row[], asked: Asked): Row[] {
  const { kind, id, query } = asked;
  const { search = "", sortOrder } = query;
  const accountId = query.accountId === undefined ? undefined : Number(query.accountId);
  const wanted: Body = { externalId: query.externalId, accountId: id ?? accountId };
  const found = rows.filter(
    (row) =>
      Object.keys(wanted).every((name) => wanted[name] === undefined || wanted[name] === row[name]) &&
      matches(row, query) &&
      (query.email === undefined || fold(row.email) === fold(query.email)) &&
      (search === "" || kinds[kind].searched.some((name) => fold(row[name]).includes(fold(search)))),
  );
  return sorted(found, (row) => sortValue(row, asked), sortOrder);
}

/** The position of a row in the list of a request. */
export function positionOf(row: Row, asked: Asked): Position {
  return { value: sortValue(row, asked), id: row.id };
}

/** Whether a row is after a position. The row at the position can have moved since then. */
function isAfter(row: Row, last: Position, asked: Asked): boolean {
  const position = positionOf(row, asked);
  if (row.id === last.id && Bun.deepEquals(position.value, last.value)) return false;
  const [, second] = sorted([last, position], ({ value }) => value, asked.query.sortOrder);
  return second === position;
}

function sortValue(row: Row, { kind, query: { sortBy = kinds[kind].sortBy[0] ?? "" } }: Asked): unknown {
  if (sortBy.startsWith("attributes.")) return attributeSortValue(row, sortBy);
  return sortBy === "name" || sortBy === "title" ? fold(row[sortBy]) : row[sortBy];
}
