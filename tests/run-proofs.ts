import { availableParallelism } from "node:os";
import { buildBinary, builtBinary } from "./binary/build.ts";
import { proofs } from "./faults/proofs.ts";
import { prove } from "./support/prove.ts";

/**
 * Proofs of faults and attacks: `bun tests/run-proofs.ts [--long] [--no-controls] [NAME...]`. Default: all, in their
 * short form, each with its controls.
 */
const words = process.argv.slice(2);
const options = words.filter((word) => word.startsWith("--"));
const names = words.filter((word) => !word.startsWith("--"));
const unknown = names.filter((name) => !proofs.some((proof) => proof.name === name));
const chosen = proofs.filter(({ name }) => names.length === 0 || names.includes(name));
if (unknown.length > 0) {
  console.error(`No proof ${unknown.join(", ")}. There are ${proofs.map(({ name }) => name).join(", ")}.`);
  process.exitCode = 1;
} else {
  const [proof, ...others] = chosen;
  const scale = options.includes("--long") ? "long" : "short";
  const hasControls = !options.includes("--no-controls");
  const isProved =
    proof && others.length === 0 ? await prove(proof, { scale, hasControls }) : await proveAll();
  process.exitCode = isProved ? 0 : 1;
}

/**
 * Runs each proof in a process of its own; those that measure times afterwards, one at a time. One more runs at a time
 * than there are processors, because proofs often wait.
 */
async function proveAll(): Promise<boolean> {
  const env = { ...process.env, [builtBinary]: await buildBinary() };
  const failed: string[] = [];
  async function run(name: string): Promise<void> {
    const command = [process.execPath, import.meta.path, ...options, name];
    const child = Bun.spawn(command, { env, stdout: "pipe", stderr: "inherit" });
    console.log(await new Response(child.stdout).text());
    if ((await child.exited) !== 0) failed.push(name);
  }
  const waiting = chosen.filter(({ runsAlone }) => !runsAlone);
  const runWaiting = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) await run(next.name);
  };
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, runWaiting));
  for (const { runsAlone, name } of chosen) if (runsAlone) await run(name);
  console.log(
    `${chosen.length} proofs: ${failed.length === 0 ? "all hold" : `failed: ${failed.join(", ")}`}`,
  );
  return failed.length === 0;
}
