import { api } from "../../api.ts";
import { bodyOf } from "../../editing/members.ts";
import { type BulkChange, type BulkOutcome, outcomeOf, type SelectedAccount } from "./outcome.ts";

/** Changes the accounts in one transaction; one that fails does not affect the others. A dry run stores nothing. */
export async function changeAccounts(
  accounts: readonly SelectedAccount[],
  change: BulkChange,
  { isDryRun, signal = null }: { isDryRun: boolean; signal?: AbortSignal | null },
): Promise<BulkOutcome> {
  const operations = accounts.map(({ id }) => {
    const path = `/api/v1/accounts/${id}`;
    if (change.kind === "delete") return { method: "DELETE" as const, path };
    return { method: "PATCH" as const, path, body: bodyOf<Record<string, unknown>>(change.members) };
  });
  const stored = change.kind === "edit" ? await readTimes(accounts, signal) : new Map<number, string>();
  const { data } = await api.POST("/api/v1/batch", {
    params: { query: isDryRun ? { dryRun: "true" } : {} },
    body: { mode: "partial", operations },
    signal,
  });
  const current = accounts.map((account) => ({
    ...account,
    updatedAt: stored.get(account.id) ?? account.updatedAt,
  }));
  return outcomeOf(current, data.data.results);
}

/** When the accounts, at most 100, were updated: the rows of the table may be older. */
async function readTimes(
  accounts: readonly SelectedAccount[],
  signal: AbortSignal | null,
): Promise<Map<number, string>> {
  const query = { "id.in": accounts.map(({ id }) => id), pageSize: 100, fields: ["updatedAt" as const] };
  const { data } = await api.GET("/api/v1/accounts", { params: { query }, signal });
  return new Map(data.data.map(({ id, updatedAt }) => [id, updatedAt]));
}
