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
  const { data } = await api.POST("/api/v1/batch", {
    params: { query: isDryRun ? { dryRun: "true" } : {} },
    body: { mode: "partial", operations },
    signal,
  });
  return outcomeOf(accounts, data.data.results);
}
