const barWidth = 30;
const drawMilliseconds = 200;

/**
 * A line on a terminal (standard error) that is drawn again as the work goes on: a bar, the part that is done, the
 * rate, and the remaining time at this rate.
 */
export class ProgressBar {
  readonly #unit: string;
  readonly #startedAt = performance.now();
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(unit: string) {
    this.#unit = unit;
  }

  /** Draws at most five times a second. */
  show(done: number, total: number): void {
    const now = performance.now();
    if (now - this.#drawnAt < drawMilliseconds) return;
    this.#drawnAt = now;
    process.stderr.write(
      `\r${progressLine({ done, total, seconds: (now - this.#startedAt) / 1000, unit: this.#unit })}\x1b[K`,
    );
  }

  clear(): void {
    process.stderr.write("\r\x1b[K");
  }
}

/** The text of a progress bar. */
export function progressLine(state: { done: number; total: number; seconds: number; unit: string }): string {
  const { done, total, seconds, unit } = state;
  const part = total === 0 ? 1 : done / total;
  const bar = "#".repeat(Math.floor(part * barWidth)).padEnd(barWidth, ".");
  const rate = seconds === 0 ? 0 : Math.round(done / seconds);
  const remaining = rate === 0 ? "" : `, ${duration(Math.ceil((total - done) / rate))} left`;
  return `[${bar}] ${Math.floor(part * 100)} %, ${done} of ${total} ${unit}, ${rate}/s${remaining}`;
}

function duration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds} s` : `${minutes} min ${seconds % 60} s`;
}
