import type { components } from "../../../../../clients/typescript/src/schema.ts";
import { type FileLine, type RowResult, readRowResult } from "../../../../shared/import-lines.ts";
import { api } from "../../api.ts";
import { withTypeNames } from "../../editing/member-text.ts";

type ImportedAccount = components["schemas"]["AccountUpsert"];

/** What became of a row, or in a dry run would become of it. */
export type RowOutcome = { row: FileLine } & RowResult;

/** Sends rows in a request. An account that is rejected does not affect the others. Throws `ProblemError`. */
export async function sendRows(
  rows: readonly Readonly<Record<string, unknown>>[],
  { isDryRun, signal }: { isDryRun: boolean; signal: AbortSignal },
): Promise<RowResult[]> {
  const { data } = await api.POST("/api/v1/accounts/batch", {
    params: { query: isDryRun ? { dryRun: "true" } : {} },
    // Safe: each has an externalId; the server checks the other fields.
    body: { accounts: rows as ImportedAccount[] },
    signal,
  });
  return data.data.results.map((item) => {
    const result = readRowResult(item);
    return result.result === "rejected" ? { ...result, reason: withTypeNames(result.reason) } : result;
  });
}
