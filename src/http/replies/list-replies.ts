import type { CursorPagination, Pagination } from "../../core/lists/paging.ts";

type ListContext = {
  request: Request;
  set: { headers: Record<string, string | number | undefined> };
};

/** A longer header is left out: a proxy may reject a reply with long headers. */
const maxLinkLength = 3_000;

/**
 * The body of a list. Sets `Link` (RFC 8288) with the first, previous, next and last page, as paths with the query of
 * the request.
 */
export function listReply<View, P extends Pagination | CursorPagination>(
  { request, set }: ListContext,
  data: View[],
  pagination: P,
): { data: View[]; pagination: P } {
  const link = linkOf(baseOf(request.url), pagination);
  if (link.length <= maxLinkLength) set.headers.link = link;
  return { data, pagination };
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
