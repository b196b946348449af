import { formatCount, formatPercent } from "../../format.ts";
import type { ImportRun } from "./run.ts";

const seconds = new Intl.NumberFormat(undefined, { style: "unit", unit: "second", unitDisplay: "long" });
const minutes = new Intl.NumberFormat(undefined, { style: "unit", unit: "minute", unitDisplay: "long" });

/** The bar, the rate and the remaining time of a run. */
export function ProgressView({
  run: { progress, startedAt, isDryRun },
  fileBytes,
}: {
  run: ImportRun;
  fileBytes: number;
}) {
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
