import type { CsvRecord } from "../../../../shared/csv.ts";
import { sendUniqueRows } from "../../../../shared/import-lines.ts";
import { api } from "../../api.ts";
import { type RequestState, useRequest } from "../../use-request.ts";
import type { AttributeTypes, ColumnMapping } from "./mapping.ts";
import { readRow } from "./rows.ts";
import { type RowOutcome, sendRows } from "./run.ts";

/** The types of the attributes that accounts have. */
export function useAttributeTypes(): RequestState<AttributeTypes> {
  return useRequest(async (signal) => {
    const query = { resource: "accounts" as const };
    const { data } = await api.GET("/api/v1/attributes", { params: { query }, signal });
    return Object.fromEntries(data.data.map(({ name, type }) => [name, type]));
  }, []);
}

/** What would become of the rows with these targets; undefined if they have a fault. */
export function usePreview(
  rows: readonly CsvRecord[],
  targets: readonly ColumnMapping[],
  isValid: boolean,
): RequestState<RowOutcome[] | undefined> {
  return useRequest(
    async (signal) => {
      if (!isValid) return undefined;
      const lines = rows.map((record) => readRow(targets, record));
      const send = (sent: Parameters<typeof sendRows>[0]) => sendRows(sent, { isDryRun: true, signal });
      const results = await sendUniqueRows(lines, new Map(), send);
      return results.flatMap((result, i) => (lines[i] ? { row: lines[i], ...result } : []));
    },
    [rows, targets, isValid],
  );
}
