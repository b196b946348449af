import { useEffect, useRef, useState } from "preact/hooks";
import { Dialog } from "../../components/dialog.tsx";
import { ProblemNotice } from "../../components/problem.tsx";
import { dayBefore } from "../../days.ts";
import { download } from "../../download.ts";
import { formatBytes } from "../../format.ts";
import { exportView } from "./export.ts";
import type { View } from "./view.ts";

/** Downloads all accounts of the view as CSV. */
export function ExportButton({ view }: { view: View }) {
  const [receivedBytes, setReceivedBytes] = useState<number | undefined>();
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);
  async function start(): Promise<void> {
    const controller = new AbortController();
    running.current = controller;
    setReceivedBytes(0);
    try {
      const content = await exportView(view, { signal: controller.signal, onProgress: setReceivedBytes });
      download(content, `accounts-${dayBefore(0)}.csv`);
    } catch (failure) {
      if (!controller.signal.aborted) setError(failure);
    }
    setReceivedBytes(undefined);
  }
  return (
    <>
      <span class="hint" role="status">
        {receivedBytes !== undefined && `Exporting, ${formatBytes(receivedBytes)}`}
      </span>
      {receivedBytes === undefined ? (
        <button type="button" onClick={start}>
          Export CSV
        </button>
      ) : (
        <button type="button" onClick={() => running.current?.abort()}>
          Cancel export
        </button>
      )}
      {error !== undefined && (
        <Dialog title="Export CSV" onClose={() => setError(undefined)}>
          <ProblemNotice error={error} />
        </Dialog>
      )}
    </>
  );
}
