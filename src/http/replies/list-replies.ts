import { countReplyGarbage } from "../../../db/garbage.ts";
import { Problem } from "../../core/errors.ts";
import { JsonRows, maxNumberedPageBytes } from "../../core/lists/json-rows.ts";
import type { CursorPagination, Pagination } from "../../core/lists/paging.ts";

type ListContext = {
  request: Request;
  set: { headers: Record<string, string | number | undefined> };
};

/** A longer header is left out: a proxy may reject a reply with long headers. */
const maxLinkLength = 3_000;

/**
 * A page as it was read. `rowCount`: the number of its rows, also of rows without a view. `firstRows`, of a page by cursor:
 * the pagination of its first rows alone.
 */
type ReadPage<P> = {
  pagination: P;
  rowCount?: number;
  firstRows?: ((count: number) => CursorPagination) | undefined;
};

/**
 * The body of a list, as its JSON. A page by cursor has as many rows as fit. Sets `Link` (RFC 8288) with the first,
 * previous, next and last page, as paths with the query of the request. Throws `response_too_large` for a page by number
 * that does not fit.
 */
export function listReply<View extends object, P extends Pagination | CursorPagination>(
  context: ListContext,
  views: readonly View[],
  page: ReadPage<P>,
): { data: View[]; pagination: P } {
  return extendedListReply(context, views, page, {});
}

/** `listReply` with more members. */
export function extendedListReply<
  View extends object,
  P extends Pagination | CursorPagination,
  More extends object,
>(
  { request, set }: ListContext,
  views: readonly View[],
  { pagination: ofAll, rowCount = views.length, firstRows }: ReadPage<P>,
  more: More,
): { data: View[]; pagination: P } & More {
  const rows = new JsonRows(views.length, { isNumbered: !firstRows });
  views.every((view) => rows.add(view));
  const { texts } = rows;
  const isWhole = texts.length === rowCount;
  if (!isWhole && !firstRows) {
    // After this call, which still refers to the rows.
    setImmediate(() => countReplyGarbage(maxNumberedPageBytes));
    throw new Problem("response_too_large");
  }
  const pagination = isWhole || !firstRows ? ofAll : firstRows(texts.length);
  const link = linkOf(baseOf(request.url), pagination);
  if (link.length <= maxLinkLength) set.headers.link = link;
  // Safe: it is sent unchanged, and the object would be sent as this JSON.
  return rows.bodyWith({ pagination, ...more }) as unknown as { data: View[]; pagination: P } & More;
}

/** `Link` to the next request: the path and the query of this one, with other values of these parameters. */
export function linkToNext(url: string, parameters: Readonly<Record<string, number>>): string {
  const { pathname, searchParams } = new URL(url);
  for (const [name, value] of Object.entries(parameters)) searchParams.set(name, String(value));
  return `<${pathname}?${searchParams}>; rel="next"`;
}

function linkOf(base: string, pagination: Pagination | CursorPagination): string {
  const to = (relation: string, target: string) => `<${base}${target}>; rel="${relation}"`;
  if ("nextCursor" in pagination) {
    const { nextCursor } = pagination;
    const first = to("first", "cursor=");
    return nextCursor === null ? first : `${first}, ${to("next", `cursor=${nextCursor}`)}`;
  }
  const { page, totalPages, hasNextPage, hasPrevPage } = pagination;
  let link = to("first", "page=1");
  if (hasPrevPage) link += `, ${to("prev", `page=${Math.max(1, Math.min(page - 1, totalPages))}`)}`;
  if (hasNextPage) link += `, ${to("next", `page=${page + 1}`)}`;
  if (totalPages > 0) link += `, ${to("last", `page=${totalPages}`)}`;
  return link;
}

/** A query without escapes, which a header can have as it is. */
const isPlainQuery = /^[A-Za-z0-9_.~=&-]*$/;
const position = /(^|&)(?:page|cursor)?(?:=[^&]*)?(?=&|$)/g;

/**
 * The path and the query without the position, up to the `?` or `&` before the position, encoded for a header. The guard
 * has decoded both.
 */
function baseOf(url: string): string {
  const start = url.indexOf("/", "http://x".length);
  const end = url.indexOf("?", start);
  if (end === -1) return `${url.slice(start)}?`;
  const sent = url.slice(end + 1);
  const query = isPlainQuery.test(sent) ? sent.replace(position, "").replace(/^&/, "") : encodeQuery(sent);
  return `${url.slice(start, end)}?${query}${query === "" ? "" : "&"}`;
}

function encodeQuery(sent: string): string {
  return [...new URLSearchParams(sent)]
    .filter(([name]) => name !== "" && name !== "page" && name !== "cursor")
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
}
