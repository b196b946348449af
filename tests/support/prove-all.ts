import { availableParallelism } from "node:os";
import { buildBinary, builtBinary } from "../binary/build.ts";
import type { Proof } from "./proof.ts";
import { partNames } from "./proof-parts.ts";

/**
 * Runs the command with the name of each proof, or of each part of it, and then those that run alone. One more runs at a
 * time than there are processors, because proofs often wait. Prints the output of each at its end. Resolves with whether
 * all succeed.
 */
export async function proveAll(command: readonly string[], proofs: readonly Proof[]): Promise<boolean> {
  const env = { ...process.env, [builtBinary]: await buildBinary() };
  const failed: string[] = [];
  async function run(name: string): Promise<void> {
    const child = Bun.spawn([...command, name], { env, stdout: "pipe", stderr: "inherit" });
    console.log(await new Response(child.stdout).text());
    if ((await child.exited) !== 0) failed.push(name);
  }
  // Taken from the end: proofs with several parts first, because they take the longest.
  const waiting = proofs
    .filter(({ runsAlone }) => !runsAlone)
    .toSorted((a, b) => (a.partCount ?? 1) - (b.partCount ?? 1))
    .flatMap(partNames);
  const runWaiting = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) await run(next);
  };
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, runWaiting));
  for (const proof of proofs) if (proof.runsAlone) for (const name of partNames(proof)) await run(name);
  console.log(
    `${proofs.length} proofs: ${failed.length === 0 ? "all hold" : `failed: ${failed.join(", ")}`}`,
  );
  return failed.length === 0;
}
