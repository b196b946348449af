import type { CursorPagination, Pagination } from "../core/paging.ts";

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
  const { path, query } = splitUrl(request.url);
  const links = Object.entries(targetsOf(pagination)).map(
    ([relation, [name, value]]) => `<${path}?${[...query, `${name}=${value}`].join("&")}>; rel="${relation}"`,
  );
  const link = links.join(", ");
  if (link.length > 0 && link.length <= maxLinkLength) set.headers.link = link;
  return { data, pagination };
}

type Target = [name: "page" | "cursor", value: string | number];

function targetsOf(pagination: Pagination | CursorPagination): Record<string, Target> {
  if ("nextCursor" in pagination)
    return {
      first: ["cursor", ""],
      ...(pagination.nextCursor !== null && { next: ["cursor", pagination.nextCursor] }),
    };
  const { page, totalPages, hasNextPage, hasPrevPage } = pagination;
  return {
    first: ["page", 1],
    ...(hasPrevPage && { prev: ["page", Math.max(1, Math.min(page - 1, totalPages))] }),
    ...(hasNextPage && { next: ["page", page + 1] }),
    ...(totalPages > 0 && { last: ["page", totalPages] }),
  };
}

/** The path, and the parameters of the query without the position, encoded for a header. The guard has decoded both. */
function splitUrl(url: string): { path: string; query: string[] } {
  const start = url.indexOf("/", "http://x".length);
  const end = url.indexOf("?", start);
  if (end === -1) return { path: url.slice(start), query: [] };
  const query: string[] = [];
  for (const [name, value] of new URLSearchParams(url.slice(end + 1)))
    if (name !== "" && name !== "page" && name !== "cursor")
      query.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return { path: url.slice(start, end), query };
}
