import { useEffect, useRef, useState } from "preact/hooks";
import type { CsvHeader } from "../../../../shared/csv-file.ts";
import { Card } from "../../components/card.tsx";
import { FormDialog } from "../../components/dialog.tsx";
import { ProblemNotice } from "../../components/problem.tsx";
import { askBeforeLeaving } from "../../router.ts";
import type { ColumnMapping } from "./mapping.ts";
import { ProgressView } from "./progress.tsx";
import { Results } from "./results.tsx";
import { type ImportRun, importFile, type Progress } from "./run.ts";

const leavingText =
  "An import is running. Leaving the page ends it: rows that are stored stay stored, and the same file can be imported again.";

/** Starts and cancels the dry run and the import, and shows their progress and results. */
export function RunCard({
  file,
  header,
  targets,
  isReady,
  onRunning,
}: {
  file: File;
  header: CsvHeader;
  targets: readonly ColumnMapping[];
  isReady: boolean;
  onRunning: (isRunning: boolean) => void;
}) {
  const [run, setRun] = useState<ImportRun | undefined>();
  /** The pending navigation while the dialog asks for confirmation. */
  const [leaving, setLeaving] = useState<() => void>();
  const running = useRef<AbortController>(null);
  const isRunning = run?.state === "running";
  useEffect(() => () => running.current?.abort(), []);
  // The results are of other columns.
  useEffect(() => setRun(undefined), [targets]);
  useEffect(() => {
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
      await importFile(file, { header, targets, isDryRun, signal: controller.signal, onProgress });
      update({ state: "done" });
    } catch (error) {
      update(controller.signal.aborted ? { state: "cancelled" } : { state: "failed", error });
    }
    onRunning(false);
  }

  return (
    <Card title="Import">
      <div class="row">
        <button type="button" class="primary" disabled={!isReady || isRunning} onClick={() => start(false)}>
          Import
        </button>
        <button type="button" disabled={!isReady || isRunning} onClick={() => start(true)}>
          Dry run of all rows
        </button>
        {isRunning ? (
          <button type="button" onClick={() => running.current?.abort()}>
            Cancel
          </button>
        ) : (
          <span class="hint">A dry run makes the same checks and stores nothing.</span>
        )}
      </div>
      {leaving && (
        <FormDialog
          title="Leave this page?"
          submitLabel={run?.isDryRun ? "End the dry run and leave" : "End the import and leave"}
          isDangerous
          onSubmit={async () => {
            running.current?.abort();
            leaving();
          }}
          onClose={() => setLeaving(undefined)}
        >
          <p>{run?.isDryRun ? "A dry run is running. Leaving the page ends it." : leavingText}</p>
        </FormDialog>
      )}
      {run && isRunning && <ProgressView run={run} fileBytes={file.size} />}
      {run?.state === "failed" && <RunProblem error={run.error} />}
      {run && <Results run={run} fileName={file.name} />}
    </Card>
  );
}

/** An error of the file is an `Error` with a message for the reader; others are errors of the request. */
function RunProblem({ error }: { error: unknown }) {
  const isOfFile = error instanceof Error && error.name === "Error";
  if (!isOfFile) return <ProblemNotice error={error} />;
  return (
    <div class="notice problem" role="alert">
      <p>
        <strong>{error.message}</strong>
      </p>
    </div>
  );
}
