import { type Column, Table } from "../../components/table.tsx";
import { download } from "../../download.ts";
import { formatCount, formatPercent, language } from "../../format.ts";
import { importing } from "../../messages/messages.ts";
import type { ImportRun } from "./run.ts";

const { results: text, run: words } = importing;
/** The accounts that an import has changed come first. */
const lastChanged = "/console/accounts?sortBy=updatedAt&sortOrder=desc";
const seconds = new Intl.NumberFormat(language, { style: "unit", unit: "second", unitDisplay: "long" });
const minutes = new Intl.NumberFormat(language, { style: "unit", unit: "minute", unitDisplay: "long" });

type ProgressViewProps = { run: ImportRun; fileBytes: number };

/** The bar, the rate and the remaining time of a run. */
export function ProgressView({ run: { progress, startedAt, isDryRun }, fileBytes }: ProgressViewProps) {
  const part = progress ? Math.min(1, progress.readBytes / fileBytes) : 0;
  const elapsedSeconds = (performance.now() - startedAt) / 1000;
  const { created = 0, updated = 0, unchanged = 0, rejected = 0 } = progress?.counts ?? {};
  const rowCount = created + updated + unchanged + rejected;
  const facts =
    part === 0
      ? [words.starting]
      : [
          words.rows(formatCount(rowCount)),
          words.rate(formatCount(rowCount / elapsedSeconds)),
          words.left(remainingText((elapsedSeconds * (1 - part)) / part)),
        ];
  return (
    <div class="progress">
      <progress aria-label={isDryRun ? words.dryRunProgress : words.importProgress} max={1} value={part} />
      <span class="hint">{[formatPercent(part), ...facts].join(" · ")}</span>
    </div>
  );
}

function remainingText(time: number): string {
  return time < 90 ? seconds.format(Math.ceil(time)) : minutes.format(Math.round(time / 60));
}

const names = ["created", "updated", "unchanged", "rejected"] as const;

const columns: readonly Column<{ line: number; reason: string }>[] = [
  { title: text.line, isNumber: true, cell: ({ line }) => line },
  { title: text.reason, cell: ({ reason }) => reason },
];

/** The counts of a run, its rejected rows, and what to do next. */
export function Results({
  run: { state, isDryRun, progress },
  fileName,
}: {
  run: ImportRun;
  fileName: string;
}) {
  if (!progress) return state === "cancelled" ? <p role="status">{text.cancelled}</p> : null;
  const { counts, rejected } = progress;
  const labels = isDryRun ? text.dryRunCounts : text.counts;
  return (
    <div class="results">
      <dl aria-label={text.title}>
        {names.map((name) => (
          <div key={name} class={name === "rejected" && counts.rejected > 0 ? "rejected" : undefined}>
            <dt>{labels[name]}</dt>
            <dd>{formatCount(counts[name])}</dd>
          </div>
        ))}
      </dl>
      <p role="status">{messageOf(state, isDryRun)}</p>
      {!isDryRun && state !== "running" && counts.created + counts.updated > 0 && (
        <a href={lastChanged}>{text.show}</a>
      )}
      {counts.rejected > 0 && state !== "running" && (
        <>
          <div class="row">
            <h3>{text.rejected}</h3>
            <button
              type="button"
              onClick={() => download(rejected.toFile(), `${fileName.replace(/\.[^.]*$/, "")}.rejected.csv`)}
            >
              {text.download}
            </button>
          </div>
          <Table name={text.rejected} isTall columns={columns} rows={rejected.shown} />
          {counts.rejected > rejected.shown.length && (
            <p class="hint">{text.first(rejected.shown.length, formatCount(counts.rejected))}</p>
          )}
        </>
      )}
    </div>
  );
}

function messageOf(state: ImportRun["state"], isDryRun: boolean): string {
  if (state === "running") return "";
  if (isDryRun) return state === "done" ? text.dryRunDone : text.dryRunEnded;
  return state === "done" ? text.done : text.ended;
}
