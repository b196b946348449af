import { requestStatuses, resolvedStatuses } from "../../../../shared/fields/requests.ts";
import type { NamedAccount } from "../../account-names.ts";
import { api } from "../../api.ts";
import { nextCursorOf } from "../../use-request.ts";
import { isShown, type ListedRequest, type RequestsView, UNRESOLVED } from "./view.ts";

export type RankedRequest = ListedRequest & { account: NamedAccount };

/** The accounts that are read for one page, at most, in pages of 100. */
const maxAccounts = 1_000;

/** An account with so many requests may have older ones, which are only in the list of its requests. */
const maxEmbedded = 100;

/** The beginning of a cursor of the churned and inactive accounts: their MRR is not recurring, so they are last. */
const FORMER = "former:";
const presentStatuses = ["active" as const, "onboarding" as const];
const formerStatuses = ["churned" as const, "inactive" as const];

/**
 * Reads requests in the order of the MRR of their accounts, which are read in this order, churned and inactive ones last,
 * until there are `pageSize` of them, the accounts end, or `maxAccounts` were read.
 */
export async function readRanking(
  view: RequestsView,
  { cursor, pageSize }: { cursor: string; pageSize: number },
  signal: AbortSignal,
): Promise<{ data: RankedRequest[]; pagination: { nextCursor: string | null } }> {
  const found: RankedRequest[] = [];
  let nextCursor: string | null = cursor;
  for (let read = 0; read < maxAccounts && found.length < pageSize && nextCursor !== null; read += 100) {
    const prefix: string = nextCursor.startsWith(FORMER) ? FORMER : "";
    const query = {
      sortBy: "mrr" as const,
      sortOrder: "desc" as const,
      status: prefix === FORMER ? formerStatuses : presentStatuses,
      fields: ["name" as const, "mrr" as const, "requests" as const],
      pageSize: 100,
      cursor: nextCursor.slice(prefix.length),
    };
    const { data } = await api.GET("/api/v1/accounts", { params: { query }, signal });
    for (const { requests: latest = [], ...account } of data.data) {
      const requests = latest.length < maxEmbedded ? latest : await readRequestsOf(account.id, view, signal);
      found.push(
        ...requests
          .filter((request) => isShown(request, view))
          .toSorted((a, b) => b.severity - a.severity)
          .map((request) => ({ ...request, account })),
      );
    }
    const next = nextCursorOf(data.pagination);
    if (next === null) nextCursor = prefix === FORMER ? null : FORMER;
    else nextCursor = prefix + next;
  }
  return { data: found, pagination: { nextCursor } };
}

const unresolved = requestStatuses.filter((status) => !resolvedStatuses.includes(status));

/** All requests of an account with the status and the severity of the view, the latest first. */
async function readRequestsOf(
  accountId: number,
  view: RequestsView,
  signal: AbortSignal,
): Promise<ListedRequest[]> {
  const query = {
    status: view.status === UNRESOLVED ? unresolved : [view.status],
    "severity.gte": Number(view.severity),
    sortBy: "requestedAt" as const,
    sortOrder: "desc" as const,
  };
  const params = { path: { accountId }, query };
  return Array.fromAsync(api.list("/api/v1/accounts/{accountId}/requests", { params, signal }));
}
