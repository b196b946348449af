import { withAccounts } from "../account-names.ts";
import { api } from "../api.ts";
import { palette as text } from "../messages/messages.ts";
import { openPage } from "../router.ts";
import { nextCursorOf, type RequestState, useDebounced, useRequest } from "../use-request.ts";
import type { PaletteEntry } from "./entry.ts";

const pageSize = 6;

/** What was found for a text. */
type Found = { entries: readonly PaletteEntry[]; error: unknown; isLoading: boolean; reload: () => void };
type Search = (search: string, signal: AbortSignal) => Promise<PaletteEntry[]>;

/**
 * The accounts and the contacts that have the text in a name, an external id or an address. Entries of an earlier text are
 * left out.
 */
export function useFound(search: string): { accounts: Found; contacts: Found } {
  const settled = useDebounced(search, 150);
  return {
    accounts: useSearch(findAccounts, search, settled),
    contacts: useSearch(findContacts, search, settled),
  };
}

function useSearch(find: Search, search: string, settled: string): Found {
  const state: RequestState<{ search: string; entries: PaletteEntry[] }> = useRequest(
    async (signal) => ({ search: settled, entries: settled === "" ? [] : await find(settled, signal) }),
    [settled],
  );
  const { data, error, isLoading, reload } = state;
  const isSettled = search === settled && !isLoading;
  return {
    entries: data?.search === search ? data.entries : [],
    error: isSettled ? error : undefined,
    isLoading: search !== "" && !isSettled,
    reload,
  };
}

const findAccounts: Search = async (search, signal) => {
  const query = { search, cursor: "", pageSize, fields: ["name" as const, "externalId" as const] };
  const { data } = await api.GET("/api/v1/accounts", { params: { query }, signal });
  const entries = data.data.map(({ id, name, externalId }) => ({
    key: `account-${id}`,
    icon: "building" as const,
    label: name,
    detail: externalId ?? "",
    run: () => openPage(`/console/accounts/${id}`),
  }));
  return withAll(entries, data.pagination, {
    key: "all-accounts",
    icon: "arrowRight",
    label: text.allAccounts(search),
    run: () => openPage(`/console/accounts?${new URLSearchParams({ search })}`),
  });
};

const findContacts: Search = async (search, signal) => {
  const query = {
    search,
    cursor: "",
    pageSize,
    fields: ["accountId" as const, "name" as const, "email" as const],
  };
  const { data } = await api.GET("/api/v1/contacts", { params: { query }, signal });
  const contacts = await withAccounts(data.data, signal);
  const entries = contacts.map(({ id, name, email, account, accountId }) => ({
    key: `contact-${id}`,
    icon: "users" as const,
    label: name,
    detail: [email, account?.name].filter((part) => part && part !== name).join(" · "),
    run: () => openPage(`/console/accounts/${accountId}`),
  }));
  return withAll(entries, data.pagination, {
    key: "all-contacts",
    icon: "arrowRight",
    label: text.allContacts(search),
    run: () => openPage(`/console/contacts?${new URLSearchParams({ search })}`),
  });
};

/** The entries, and after them the one that shows all of them in a table, if there are more. */
function withAll(entries: PaletteEntry[], pagination: object, all: PaletteEntry): PaletteEntry[] {
  return nextCursorOf(pagination) === null ? entries : [...entries, all];
}
