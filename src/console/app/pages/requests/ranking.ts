import type { NamedAccount } from "../../account-names.ts";
import { api } from "../../api.ts";
import { nextCursorOf } from "../../use-request.ts";
import { isShown, type ListedRequest, type RequestsView } from "./view.ts";

export type RankedRequest = ListedRequest & { account: NamedAccount };

/** The accounts that are read for one page, at most, in pages of 100. */
export const maxAccounts = 1_000;

/**
 * Reads requests in the order of the MRR of their accounts, which are read in this order, until there are `pageSize` of
 * them, the accounts end, or `maxAccounts` were read.
 */
export async function readRanking(
  view: RequestsView,
  { cursor, pageSize }: { cursor: string; pageSize: number },
  signal: AbortSignal,
): Promise<{ data: RankedRequest[]; pagination: { nextCursor: string | null } }> {
  const found: RankedRequest[] = [];
  let nextCursor: string | null = cursor;
  for (let read = 0; read < maxAccounts && found.length < pageSize && nextCursor !== null; read += 100) {
    const fields = ["name" as const, "mrr" as const, "requests" as const];
    const order = { sortBy: "mrr" as const, sortOrder: "desc" as const };
    const query = { ...order, fields, pageSize: 100, cursor: nextCursor };
    const { data } = await api.GET("/api/v1/accounts", { params: { query }, signal });
    for (const { requests = [], ...account } of data.data)
      found.push(
        ...requests
          .filter((request) => isShown(request, view))
          .toSorted((a, b) => b.severity - a.severity)
          .map((request) => ({ ...request, account })),
      );
    nextCursor = nextCursorOf(data.pagination);
  }
  return { data: found, pagination: { nextCursor } };
}
