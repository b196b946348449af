import { useEffect } from "preact/hooks";
import { api } from "../../api.ts";
import { dayBefore } from "../../days.ts";
import { nextCursorOf, type RequestState, useDebounced, useRequest } from "../../use-request.ts";
import type { ListedAttribute } from "./attribute-text.ts";
import type { AccountColumn, ListedAccount } from "./columns.tsx";
import { apiFiltersOf, apiOrderOf, type View } from "./view.ts";

export const pageSize = 50;

type ShownAccounts = { accounts: ListedAccount[]; nextCursor: string | null };

export function useAccounts(view: View, columns: readonly AccountColumn[]): RequestState<ShownAccounts> {
  const { cursor = "" } = view;
  // Safe: the fields of columns are members of the reply.
  const fields = [...new Set(["name", ...columns.map(({ field }) => field)])] as (keyof ListedAccount)[];
  const query = { ...apiFiltersOf(view, dayBefore), ...apiOrderOf(view), cursor, pageSize, fields };
  return useRequest(
    async (signal) => {
      const { data } = await api.GET("/api/v1/accounts", { params: { query }, signal });
      const { pagination } = data;
      return { accounts: data.data, nextCursor: nextCursorOf(pagination) };
    },
    [JSON.stringify(query)],
  );
}

/** The number of accounts with the filters of a view; undefined until it is known. A page does not wait for it. */
export function useTotal(view: View, version: number): number | undefined {
  const key = useDebounced(JSON.stringify(apiFiltersOf(view, dayBefore)), 150);
  const { data } = useRequest(
    async (signal) => {
      // Safe: the text of the filters.
      const filters = JSON.parse(key) as Record<string, string>;
      const query = { ...filters, page: 1, pageSize: 1, fields: ["id" as const] };
      const { pagination } = (await api.GET("/api/v1/accounts", { params: { query }, signal })).data;
      return { key, total: "total" in pagination ? pagination.total : undefined };
    },
    [key, version],
  );
  return data?.key === key ? data.total : undefined;
}

/** The attributes of accounts; none until they are known. */
export function useAttributes(): { attributes: readonly ListedAttribute[]; isKnown: boolean } {
  const { data, error, isLoading, reload } = useRequest(
    async (signal) =>
      (await api.GET("/api/v1/attributes", { params: { query: { resource: "accounts" } }, signal })).data
        .data,
    [],
  );
  useEffect(() => {
    if (error === undefined || isLoading) return;
    const timer = setTimeout(reload, 5_000);
    return () => clearTimeout(timer);
  }, [error, isLoading]);
  return { attributes: data ?? [], isKnown: data !== undefined };
}
