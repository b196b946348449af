import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { FormDialog } from "../../components/dialog.tsx";
import { Card } from "../../components/layout.tsx";
import { ProblemNotice } from "../../components/problem.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { download } from "../../download.ts";
import { formatCount, formatPercent } from "../../format.ts";
import { askBeforeLeaving } from "../../router.ts";
import type { FileStart } from "./file.ts";
import { columnLabel } from "./mapping.ts";
import { type ImportRun, importFile, type Progress } from "./run.ts";
import type { ImportTable } from "./table.ts";

const seconds = new Intl.NumberFormat(undefined, { style: "unit", unit: "second", unitDisplay: "long" });
const minutes = new Intl.NumberFormat(undefined, { style: "unit", unit: "minute", unitDisplay: "long" });

type ProgressViewProps = { run: ImportRun; fileBytes: number };

/** The bar, the rate and the remaining time of a run. */
function ProgressView({ run: { progress, startedAt, isDryRun }, fileBytes }: ProgressViewProps) {
  const part = progress ? Math.min(1, progress.readBytes / fileBytes) : 0;
  const elapsedSeconds = (performance.now() - startedAt) / 1000;
  const { created = 0, updated = 0, unchanged = 0, rejected = 0 } = progress?.counts ?? {};
  const rowCount = created + updated + unchanged + rejected;
  const facts =
    part === 0
      ? ["Starting"]
      : [
          `${formatCount(rowCount)} rows`,
          `${formatCount(rowCount / elapsedSeconds)} rows per second`,
          `${remainingText((elapsedSeconds * (1 - part)) / part)} left`,
        ];
  return (
    <div class="progress">
      <progress aria-label={isDryRun ? "Dry run" : "Import"} max={1} value={part} />
      <span class="hint">
        {formatPercent(part)} · {facts.join(" · ")}
      </span>
    </div>
  );
}

function remainingText(time: number): string {
  return time < 90 ? seconds.format(Math.ceil(time)) : minutes.format(Math.round(time / 60));
}

const words = {
  created: ["created", "would be created"],
  updated: ["updated", "would be updated"],
  unchanged: ["unchanged", "unchanged"],
  rejected: ["rejected", "would be rejected"],
} as const;
const names = ["created", "updated", "unchanged", "rejected"] as const;

const columns: readonly Column<{ line: number; reason: string }>[] = [
  { title: "Line", isNumber: true, cell: ({ line }) => line },
  { title: "Reason", cell: ({ reason }) => reason },
];

/** The counts of a run, its rejected rows, and what to do next. */
function Results({ run: { state, isDryRun, progress }, fileName }: { run: ImportRun; fileName: string }) {
  if (!progress) return state === "cancelled" ? <p role="status">Cancelled. No row was sent.</p> : null;
  const { counts, rejected } = progress;
  return (
    <div class="results">
      <dl aria-label="Results">
        {names.map((name) => (
          <div key={name} class={name === "rejected" && counts.rejected > 0 ? "rejected" : undefined}>
            <dt>{words[name][isDryRun ? 1 : 0]}</dt>
            <dd>{formatCount(counts[name])}</dd>
          </div>
        ))}
      </dl>
      <p role="status">{messageOf(state, isDryRun)}</p>
      {counts.rejected > 0 && state !== "running" && (
        <>
          <div class="row">
            <h3>Rejected rows</h3>
            <button
              type="button"
              onClick={() => download(rejected.toFile(), `${fileName.replace(/\.[^.]*$/, "")}.rejected.csv`)}
            >
              Download rejected rows
            </button>
          </div>
          <Table label="Rejected rows, table" isTall columns={columns} rows={rejected.shown} />
          {counts.rejected > rejected.shown.length && (
            <p class="hint">
              These are the first {rejected.shown.length}. The download has all {formatCount(counts.rejected)}
              .
            </p>
          )}
        </>
      )}
    </div>
  );
}

function messageOf(state: ImportRun["state"], isDryRun: boolean): string {
  if (state === "running") return "";
  if (isDryRun)
    return state === "done"
      ? "The dry run has read all rows. Nothing was stored."
      : "The dry run ended early. Nothing was stored.";
  if (state === "done") return "The import is complete.";
  return "The import ended early. The rows counted here are stored. Import the file again to continue: these rows are unchanged then.";
}

const leavingText =
  "An import is running. Leaving the page ends it: rows that are stored stay stored, and the same file can be imported again.";

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
  const imported = new Set(table.columns.map(({ index }) => index));
  const { names } = opened.header;
  const ignored = names.flatMap((_, i) => (imported.has(i) ? [] : columnLabel(names, i)));
  const isRunning = run?.state === "running";
  useEffect(() => () => running.current?.abort(), []);
  // The results are of other columns.
  useEffect(() => setRun(undefined), [table]);
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
    <Card title="Import">
      {ignored.length > 0 && (
        <div class="row ignored">
          <p>Not imported: {ignored.join(", ")}</p>
          <button type="button" disabled={isRunning} onClick={onAddAttributes}>
            Import as attributes
          </button>
        </div>
      )}
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
