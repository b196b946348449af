import { binary, endAll } from "../binary/binary.ts";
import { broken } from "./broken.ts";
import type { Outcome, Program, Proof } from "./proof.ts";

const start = performance.now();

function say(line: string): void {
  const seconds = Math.floor((performance.now() - start) / 1000);
  console.error(`${String(seconds).padStart(5)} s  ${line}`);
}

type Line = { name: string; tried: string; found: string; seconds: string };

/**
 * Runs the proofs in their long form, or those that are named, with progress on stderr and a table of what was
 * tried on stdout. Resolves with whether all hold: nothing was found in the program, and something in each control.
 */
export async function prove(proofs: readonly Proof[], names: readonly string[]): Promise<boolean> {
  const unknown = names.find((name) => !proofs.some((proof) => proof.name === name));
  if (unknown !== undefined) {
    console.error(`There is no ${unknown}. There are ${proofs.map(({ name }) => name).join(", ")}.`);
    return false;
  }
  const program = [await binary()];
  const lines: Line[] = [];
  let holds = true;
  for (const proof of proofs) {
    if (names.length > 0 && !names.includes(proof.name)) continue;
    const missing = proof.missing?.();
    if (missing !== undefined) {
      lines.push({ name: proof.name, tried: `not here: ${missing}`, found: "–", seconds: "" });
      continue;
    }
    const real = await tried(proof, program, "long", proof.name);
    holds &&= real.error === undefined && real.outcome.faults.length === 0;
    lines.push(lineOf(proof.name, real, "nothing"));
    for (const control of proof.controls) {
      const one = await tried(proof, await broken(control), "short", `${proof.name}, where ${control.name}`);
      holds &&= one.error === undefined && one.outcome.faults.length > 0;
      lines.push(lineOf(`  where ${control.name}`, one, "NOTHING: the proof shows nothing"));
    }
  }
  console.log(tableOf(lines));
  return holds;
}

/** `error`: why it could not be tried to the end. */
type Tried = { outcome: Outcome; seconds: number; error?: string };

async function tried(proof: Proof, program: Program, scale: "short" | "long", title: string): Promise<Tried> {
  say(`${title} …`);
  const begun = performance.now();
  try {
    const outcome = await proof.run(program, scale, (line) => say(`${proof.name}: ${line}`));
    // Of a control it is enough to see that there is one.
    const shown = scale === "long" ? 20 : 1;
    for (const fault of outcome.faults.slice(0, shown)) say(`${title} FOUND ${fault.slice(0, 300)}`);
    return { outcome, seconds: (performance.now() - begun) / 1000 };
  } catch (failure) {
    // The others are tried all the same.
    const error = failure instanceof Error ? failure.message : String(failure);
    say(`${title} STOPPED: ${error}`);
    return { outcome: { tried: {}, faults: [] }, seconds: (performance.now() - begun) / 1000, error };
  } finally {
    await endAll();
  }
}

function lineOf(name: string, { outcome, seconds, error }: Tried, none: string): Line {
  if (error !== undefined)
    return { name, tried: "–", found: `STOPPED: ${error.slice(0, 60)}`, seconds: `${seconds.toFixed(0)} s` };
  const counts = Object.entries(outcome.tried).map(
    ([what, count]) => `${count.toLocaleString("en")} ${what}`,
  );
  const { length } = outcome.faults;
  const found = length === 0 ? none : `${length} ${length === 1 ? "fault" : "faults"}`;
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
