import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../../api.ts";
import { Dialog } from "../../components/dialog.tsx";
import { Icon } from "../../components/icon.tsx";
import { ProblemNotice } from "../../components/problem.tsx";
import { dayBefore } from "../../days.ts";
import { download } from "../../download.ts";
import { formatBytes } from "../../format.ts";
import { accounts as text } from "../../messages/messages.ts";
import { useAction } from "../../use-request.ts";
import { apiFiltersOf, apiOrderOf, type View } from "./view.ts";

/** Columns of the table that an export has only if they are named. */
const include: ("health" | "contactActivity")[] = ["health", "contactActivity"];

/**
 * The accounts of a view, without pages, as CSV with a byte-order mark, by which spreadsheets recognize UTF-8. `onProgress`
 * gets the bytes that were received.
 */
async function exportView(
  view: View,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (bytes: number) => void },
): Promise<Blob> {
  const query = { ...apiFiltersOf(view), ...apiOrderOf(view), include, bom: true };
  const { data } = await api.GET("/api/v1/accounts.csv", { params: { query }, parseAs: "stream", signal });
  if (!data) throw new Error("the export has no body");
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let receivedBytes = 0;
  const reader = data.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts, { type: "text/csv;charset=utf-8" });
    parts.push(value);
    receivedBytes += value.byteLength;
    onProgress(receivedBytes);
  }
}

/** Downloads all accounts of the view as CSV. */
export function ExportButton({ view }: { view: View }) {
  const [receivedBytes, setReceivedBytes] = useState<number | undefined>();
  const { error, run, reset } = useAction();
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);
  async function start(): Promise<void> {
    running.current = new AbortController();
    const { signal } = running.current;
    setReceivedBytes(0);
    await run(async () => {
      const content = await exportView(view, { signal, onProgress: setReceivedBytes });
      download(content, `accounts-${dayBefore(0)}.csv`);
    });
    setReceivedBytes(undefined);
  }
  return (
    <>
      <span class="hint" role="status">
        {receivedBytes !== undefined && text.exporting(formatBytes(receivedBytes))}
      </span>
      {receivedBytes === undefined ? (
        <button type="button" onClick={start}>
          <Icon name="download" />
          {text.export}
        </button>
      ) : (
        <button type="button" onClick={() => running.current?.abort()}>
          {text.cancelExport}
        </button>
      )}
      {error !== undefined && !running.current?.signal.aborted && (
        <Dialog title={text.export} onClose={reset}>
          <ProblemNotice error={error} />
        </Dialog>
      )}
    </>
  );
}
