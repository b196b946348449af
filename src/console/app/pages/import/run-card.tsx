import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ImportTable } from "../../../../shared/imports/import-table.ts";
import { FormDialog } from "../../components/dialog.tsx";
import { Card } from "../../components/layout.tsx";
import { ProblemNotice } from "../../components/problem.tsx";
import { importing } from "../../messages/messages.ts";
import { askBeforeLeaving } from "../../router.ts";
import type { FileStart } from "./file.ts";
import { columnLabel } from "./mapping.ts";
import { type ImportRun, importFile, type Progress } from "./run.ts";
import { ProgressView, Results } from "./run-results.tsx";

const text = importing.run;

type RunCardProps = {
  file: File;
  start: FileStart;
  table: ImportTable;
  /** Imports the columns without a target as attributes. */
  onAddAttributes: () => void;
  isReady: boolean;
  onRunning: (isRunning: boolean) => void;
};

/** Starts and cancels the dry run and the import, and shows their progress and results. */
export function RunCard({ file, start: opened, table, onAddAttributes, isReady, onRunning }: RunCardProps) {
  const [run, setRun] = useState<ImportRun | undefined>();
  /** The pending navigation while the dialog asks for confirmation. */
  const [leaving, setLeaving] = useState<() => void>();
  const running = useRef<AbortController>(null);
  const cancel = useRef<HTMLButtonElement>(null);
  const outcome = useRef<HTMLDivElement>(null);
  const imported = new Set(table.columns.map(({ index }) => index));
  const { names } = opened.header;
  const ignored = names.flatMap((_, i) => (imported.has(i) ? [] : columnLabel(names, i)));
  const isRunning = run?.state === "running";
  useEffect(() => () => running.current?.abort(), []);
  // The results are of other columns.
  useEffect(() => setRun(undefined), [table]);
  useFocusOfRun(run?.state, { cancel, outcome });
  // Before the progress is shown: the page cannot be left without the question from then on.
  useLayoutEffect(() => {
    if (!isRunning) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    const removeHandler = askBeforeLeaving((leave) => setLeaving(() => leave));
    return () => {
      removeEventListener("beforeunload", warn);
      removeHandler();
      setLeaving(undefined);
    };
  }, [isRunning]);

  async function start(isDryRun: boolean): Promise<void> {
    const controller = new AbortController();
    running.current = controller;
    const update = (changes: Partial<ImportRun>) => setRun((before) => before && { ...before, ...changes });
    setRun({ isDryRun, startedAt: performance.now(), progress: undefined, state: "running" });
    onRunning(true);
    try {
      const onProgress = (progress: Progress) => update({ progress });
      await importFile(file, { start: opened, table, isDryRun, signal: controller.signal, onProgress });
      update({ state: "done" });
    } catch (error) {
      update(controller.signal.aborted ? { state: "cancelled" } : { state: "failed", error });
    }
    onRunning(false);
  }

  return (
    <Card title={text.title}>
      {ignored.length > 0 && (
        <div class="row ignored">
          <p>{text.ignored(ignored.join(", "))}</p>
          <button type="button" disabled={isRunning} onClick={onAddAttributes}>
            {text.asAttributes}
          </button>
        </div>
      )}
      <div class="row">
        <button type="button" class="primary" disabled={!isReady || isRunning} onClick={() => start(false)}>
          {text.start}
        </button>
        <button type="button" disabled={!isReady || isRunning} onClick={() => start(true)}>
          {text.dryRun}
        </button>
        {isRunning ? (
          <button ref={cancel} type="button" onClick={() => running.current?.abort()}>
            {text.cancel}
          </button>
        ) : (
          <span class="hint">{text.dryRunHint}</span>
        )}
      </div>
      {leaving && (
        <FormDialog
          title={text.leave.title}
          submitLabel={run?.isDryRun ? text.leave.endDryRun : text.leave.endImport}
          isDangerous
          savedText={null}
          onSubmit={async () => {
            running.current?.abort();
            leaving();
          }}
          onClose={() => setLeaving(undefined)}
        >
          <p>{run?.isDryRun ? text.leave.dryRun : text.leave.import}</p>
        </FormDialog>
      )}
      {run && isRunning && <ProgressView run={run} fileBytes={file.size} />}
      <div ref={outcome} tabIndex={-1}>
        {run?.state === "failed" && <ProblemNotice error={run.error} />}
        {run && <Results run={run} fileName={file.name} />}
      </div>
    </Card>
  );
}

type FocusTargets = Record<"cancel" | "outcome", RefObject<HTMLElement | null>>;

/**
 * Moves the focus to Cancel when a run starts, because its button is disabled then, and to the outcome when Cancel
 * disappears, unless the focus is elsewhere.
 */
function useFocusOfRun(state: ImportRun["state"] | undefined, { cancel, outcome }: FocusTargets): void {
  useLayoutEffect(() => {
    if (state === "running") cancel.current?.focus();
    else if (state !== undefined && document.activeElement === document.body) outcome.current?.focus();
  }, [state]);
}
