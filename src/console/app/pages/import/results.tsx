import { type Column, Table } from "../../components/table.tsx";
import { download } from "../../download.ts";
import { formatCount } from "../../format.ts";
import type { ImportRun } from "./run.ts";

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
export function Results({
  run: { state, isDryRun, progress },
  fileName,
}: {
  run: ImportRun;
  fileName: string;
}) {
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
