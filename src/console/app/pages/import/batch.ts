import { api } from "../../api.ts";
import { type FileRow, type ImportedAccount, reasonOf } from "./rows.ts";

/** What became of a row, or in a dry run would become of it. */
export type RowOutcome = { row: FileRow } & (
  | { result: "created" | "updated" | "unchanged" }
  | { reason: string }
);

/** Sends rows in one request. An account that is rejected does not affect the others. Throws `ProblemError`. */
export async function sendRows(
  rows: readonly FileRow[],
  { isDryRun, signal }: { isDryRun: boolean; signal: AbortSignal },
): Promise<RowOutcome[]> {
  const accounts = rows.flatMap((row) => ("account" in row ? [row.account] : []));
  const results = accounts.length === 0 ? [] : await send(accounts);
  let next = 0;
  return rows.map((row) => {
    if ("fault" in row) return { row, reason: row.fault };
    const item = results[next++];
    if (!item || item.result === "failed") return { row, reason: reasonOf(item?.problem) };
    return { row, result: item.result };
  });

  async function send(body: ImportedAccount[]) {
    const query = isDryRun ? ({ dryRun: "true" } as const) : {};
    const { data } = await api.POST("/api/v1/accounts/batch", {
      params: { query },
      body: { accounts: body },
      signal,
    });
    return data.data.results;
  }
}
