import type { components } from "../../../../../clients/typescript/src/schema.ts";
import { type RowResult, readRowResult, sendUniqueRows } from "../../../../shared/unique-rows.ts";
import { api } from "../../api.ts";
import { withTypeNames } from "../../editing/member-text.ts";
import type { FileRow } from "./rows.ts";

type ImportedAccount = components["schemas"]["AccountUpsert"];

/** What became of a row, or in a dry run would become of it. */
export type RowOutcome = { row: FileRow } & RowResult;

/**
 * Sends rows in a request, and in further ones for second rows of an external id whose first row was rejected. An account
 * that is rejected does not affect the others. `accepted` are the lines of external ids that were accepted before. Throws
 * `ProblemError`.
 */
export async function sendRows(
  rows: readonly FileRow[],
  {
    isDryRun,
    signal,
    accepted = new Map(),
  }: { isDryRun: boolean; signal: AbortSignal; accepted?: Map<unknown, number> },
): Promise<RowOutcome[]> {
  const results = await sendUniqueRows(rows, accepted, send);
  return results.flatMap((result, i) => {
    const row = rows[i];
    return row ? { row, ...result } : [];
  });

  async function send(accounts: Readonly<Record<string, unknown>>[]): Promise<RowResult[]> {
    const query = isDryRun ? ({ dryRun: "true" } as const) : {};
    const { data } = await api.POST("/api/v1/accounts/batch", {
      params: { query },
      // Safe: each has an externalId; the server checks the other fields.
      body: { accounts: accounts as ImportedAccount[] },
      signal,
    });
    return data.data.results.map((item) => {
      const result = readRowResult(item);
      return result.result === "rejected" ? { ...result, reason: withTypeNames(result.reason) } : result;
    });
  }
}
