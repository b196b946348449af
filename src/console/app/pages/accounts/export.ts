import { api } from "../../api.ts";
import { dayBefore } from "../../days.ts";
import { apiFiltersOf, type View } from "./view.ts";

/** Columns of the table that an export has only if they are named. */
const include: ("health" | "contactActivity")[] = ["health", "contactActivity"];

/**
 * The accounts of a view, without pages, as CSV with a byte-order mark, by which spreadsheets recognize UTF-8. `onProgress`
 * gets the bytes that were received.
 */
export async function exportView(
  view: View,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (bytes: number) => void },
): Promise<Blob> {
  const { sortBy, sortOrder } = view;
  const query = { ...apiFiltersOf(view, dayBefore), sortBy, sortOrder, include };
  const { data } = await api.GET("/api/v1/accounts.csv", { params: { query }, parseAs: "stream", signal });
  if (!data) throw new Error("the export has no body");
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let receivedBytes = 0;
  const reader = data.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(["\uFEFF", ...parts], { type: "text/csv;charset=utf-8" });
    parts.push(value);
    receivedBytes += value.byteLength;
    onProgress(receivedBytes);
  }
}
