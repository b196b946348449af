import { binary } from "../binary/build.ts";
import { closeAll } from "./cleanup.ts";
import type { Control, Outcome, PrintLine, Proof, RowControl, Scale } from "./proof.ts";
import { buildVariant } from "./variant.ts";

const start = performance.now();

function printProgress(line: string): void {
  const seconds = Math.floor((performance.now() - start) / 1000);
  console.error(`${String(seconds).padStart(5)} s  ${line}`);
}

type Line = { name: string; tried: string; found: string; seconds: string };

export type ProveOptions = { scale: Scale; hasControls: boolean };

/**
 * Runs a proof on the program, then on its controls. Prints progress on stderr, and a table of trials and faults on
 * stdout. Resolves with true if no fault was found in the program, and at least one in each control.
 */
export async function prove(proof: Proof, { scale, hasControls }: ProveOptions): Promise<boolean> {
  const missing = proof.missing?.();
  if (missing !== undefined) {
    console.log(`${proof.name} skipped: ${missing}`);
    return true;
  }
  const program = [await binary()];
  const real = await attempt(proof.name, scale === "long" ? 20 : 3, (printProgress) =>
    proof.run(program, scale, printProgress),
  );
  const lines = [rowOf(proof.name, real, "nothing")];
  let missedCount = 0;
  for (const control of hasControls ? proof.controls : []) {
    const result = await attempt(`${proof.name}, where ${control.name}`, 1, (printProgress) =>
      runOn(control, proof, printProgress),
    );
    if (result.error !== undefined || result.outcome.faults.length === 0) missedCount += 1;
    lines.push(rowOf(`  where ${control.name}`, result, "NOTHING: the proof shows nothing"));
  }
  console.log(tableOf(lines));
  return isSound(real) && missedCount === 0;
}

/** A variant may be broken only for moments that a random kill must hit, so a run without a fault is repeated. */
const maxControlRuns = 6;

async function runOn(control: Control, proof: Proof, print: PrintLine): Promise<Outcome> {
  const runOnce = await prepareRun(control, proof, print);
  for (let runCount = 1; ; runCount += 1) {
    const outcome = await runOnce();
    if (outcome.faults.length > 0 || runCount === maxControlRuns) return outcome;
  }
}

/** Builds the variant once, for all of its runs. */
async function prepareRun(control: Control, proof: Proof, print: PrintLine): Promise<() => Promise<Outcome>> {
  if ("run" in control) return () => control.run(print);
  const program = await buildVariant(control);
  const { rows, scale = "short" }: Partial<RowControl> = control;
  return () => proof.run(program, scale, print, { endsAtFault: rows === undefined, rows });
}

/** `error` is the reason why the run stopped early. */
type Attempt = { outcome: Outcome; seconds: number; error?: string };

/** A count of zero is an error, because nothing was tried. */
function isSound({ outcome, error }: Attempt): boolean {
  const isTried = Object.values(outcome.tried).every((count) => count > 0);
  return error === undefined && outcome.faults.length === 0 && isTried;
}

/** Prints the first faults. An error ends this run only; the others continue. */
async function attempt(
  title: string,
  maxPrinted: number,
  run: (printProgress: PrintLine) => Promise<Outcome>,
): Promise<Attempt> {
  printProgress(`${title} …`);
  const startedAt = performance.now();
  try {
    const outcome = await run((line) => printProgress(`${title}: ${line}`));
    for (const fault of outcome.faults.slice(0, maxPrinted))
      printProgress(`${title} FOUND ${fault.slice(0, 20_000)}`);
    return { outcome, seconds: (performance.now() - startedAt) / 1000 };
  } catch (failure) {
    const error = failure instanceof Error ? failure.message : String(failure);
    printProgress(`${title} STOPPED: ${error}`);
    return { outcome: { tried: {}, faults: [] }, seconds: (performance.now() - startedAt) / 1000, error };
  } finally {
    await closeAll();
  }
}

function rowOf(name: string, { outcome, seconds, error }: Attempt, emptyText: string): Line {
  if (error !== undefined)
    return { name, tried: "–", found: `STOPPED: ${error.slice(0, 60)}`, seconds: `${seconds.toFixed(0)} s` };
  const counts = Object.entries(outcome.tried).map(
    ([what, count]) => `${count.toLocaleString("en")} ${what}`,
  );
  const { length } = outcome.faults;
  const found = length === 0 ? emptyText : `${length} ${length === 1 ? "fault" : "faults"}`;
  return { name, tried: counts.join(", "), found, seconds: `${seconds.toFixed(0)} s` };
}

function tableOf(lines: readonly Line[]): string {
  const rows = [{ name: "proof", tried: "tried", found: "found", seconds: "took" }, ...lines];
  const width = (column: keyof Line) => Math.max(...rows.map((row) => row[column].length));
  const columns = ["name", "tried", "found", "seconds"] as const;
  return rows
    .map((row) =>
      columns
        .map((column) => row[column].padEnd(width(column)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
