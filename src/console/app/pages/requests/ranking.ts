import type { NamedAccount } from "../../account-names.ts";
import { api } from "../../api.ts";
import { nextCursorOf } from "../../use-request.ts";
import { isShown, type ListedRequest, type RequestsView } from "./view.ts";

export type RankedRequest = ListedRequest & { account: NamedAccount };

/** The accounts that are read for one page, at most, in pages of 100. */
const maxAccounts = 1_000;

/** The beginning of a cursor of the churned and inactive accounts: their MRR is not recurring, so they are last. */
const FORMER = "former:";

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
    const fields = ["name" as const, "mrr" as const, "requests" as const];
    const order = { sortBy: "mrr" as const, sortOrder: "desc" as const };
    const prefix: string = nextCursor.startsWith(FORMER) ? FORMER : "";
    const status =
      prefix === FORMER ? (["churned", "inactive"] as const) : (["active", "onboarding"] as const);
    const query = {
      ...order,
      status: [...status],
      fields,
      pageSize: 100,
      cursor: nextCursor.slice(prefix.length),
    };
    const { data } = await api.GET("/api/v1/accounts", { params: { query }, signal });
    for (const { requests = [], ...account } of data.data)
      found.push(
        ...requests
          .filter((request) => isShown(request, view))
          .toSorted((a, b) => b.severity - a.severity)
          .map((request) => ({ ...request, account })),
      );
    const next = nextCursorOf(data.pagination);
    if (next === null) nextCursor = prefix === FORMER ? null : FORMER;
    else nextCursor = prefix + next;
  }
  return { data: found, pagination: { nextCursor } };
}
