import { useEffect } from "preact/hooks";
import { api } from "../../api.ts";
import { readAttributes } from "../../attributes.ts";
import { nextCursorOf, type RequestState, useDebounced, useRequest } from "../../use-request.ts";
import type { ListedAttribute } from "./attribute-text.ts";
import type { AccountColumn, ListedAccount } from "./columns.tsx";
import { apiFiltersOf, apiOrderOf, type View } from "./view.ts";

export const pageSize = 50;

type ShownAccounts = { accounts: ListedAccount[]; nextCursor: string | null };

export function useAccounts(
  view: View,
  columns: readonly AccountColumn[],
  version: number,
): RequestState<ShownAccounts> {
  const { cursor = "" } = view;
  // Safe: the fields of columns are members of the reply.
  const fields = [
    ...new Set(["name", "logoUrl", "updatedAt", ...columns.map(({ field }) => field)]),
  ] as (keyof ListedAccount)[];
  const query = { ...apiFiltersOf(view), ...apiOrderOf(view), cursor, pageSize, fields };
  return useRequest(
    async (signal) => {
      const { data } = await api.GET("/api/v1/accounts", { params: { query }, signal });
      const { pagination } = data;
      return { accounts: data.data, nextCursor: nextCursorOf(pagination) };
    },
    [JSON.stringify(query), version],
  );
}

/** Of all accounts with the filters of a view. `mrr`: the sum of a view with filters. */
export type ViewTotals = { accounts: number | undefined; mrr: number | undefined };
const unknown: ViewTotals = { accounts: undefined, mrr: undefined };

/** The totals of a view; undefined until they are known. A page does not wait for them. */
export function useTotals(view: View, version: number): ViewTotals {
  const key = useDebounced(JSON.stringify(apiFiltersOf(view)), 150);
  const { data } = useRequest(
    async (signal) => {
      // Safe: the text of the filters.
      const filters = JSON.parse(key) as Record<string, string>;
      const include = Object.keys(filters).length > 0 && { include: ["totals" as const] };
      const query = { ...filters, ...include, page: 1, pageSize: 1, fields: ["id" as const] };
      const { pagination, totals } = (await api.GET("/api/v1/accounts", { params: { query }, signal })).data;
      const accounts = "total" in pagination ? pagination.total : undefined;
      return { key, totals: { accounts, mrr: totals?.mrr } };
    },
    [key, version],
  );
  return data?.key === key ? data.totals : unknown;
}

/** The attributes of accounts; none until they are known. */
export function useAttributes(): { attributes: readonly ListedAttribute[]; isKnown: boolean } {
  const { data, error, isLoading, reload } = useRequest((signal) => readAttributes("accounts", signal), [], {
    isLive: false,
  });
  useEffect(() => {
    if (error === undefined || isLoading) return;
    const timer = setTimeout(reload, 5_000);
    return () => clearTimeout(timer);
  }, [error, isLoading]);
  return { attributes: data ?? [], isKnown: data !== undefined };
}
