import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { folder, output, type Running, start } from "../binary/binary.ts";
import type { Program } from "../support/proof.ts";
import { Disk } from "./power-disk.ts";
import { type Fact, type Facts, load } from "./power-load.ts";
import { isWhole, readTrace, type Step, traced } from "./power-trace.ts";

/** The steps of the service in an empty folder, and its output in between; `folder` is the path. */
export type Recording = { folder: string; steps: Step[]; told: (step: Step) => Fact[]; answers: number };

/** The path of the database in the folder. */
export const database = "data/accountd.db";
const patience = 20_000;

/**
 * Creates a database and serves it once for each of `lives`, each a number of changes. Every other run ends by SIGKILL,
 * the last one by SIGTERM. Throws when the record does not lead to the content of the disk.
 */
export async function record(program: Program, lives: readonly number[]): Promise<Recording> {
  const traces = folder();
  const cwd = join(realpathSync(folder()), "home");
  mkdirSync(cwd);
  const steps: Step[] = [];
  const facts: Facts = new Map();
  const disk = new Disk(cwd);

  /** Runs one process, and appends its steps. */
  async function during<T>(work: (settings: { cwd: string; program: Program }) => Promise<T>): Promise<T> {
    const trace = join(traces, "trace");
    const result = await work({ cwd, program: traced(program, trace) });
    for (const step of readTrace(await wholeTrace(trace), cwd)) {
      steps.push(step);
      disk.do(step);
    }
    rmSync(trace);
    compare(disk, cwd);
    return result;
  }

  await during((settings) => output(["organizations", "create", "Acme"], settings));
  const key = await during((settings) => output(["keys", "create", "--organization", "Acme"], settings));
  for (const [index, changes] of lives.entries())
    await during(async (settings) => {
      const server: Running = await start(["serve", "--port", "0"], settings);
      await load({ url: server.url, key, life: index }, changes, facts);
      await server.stop((lives.length - index) % 2 === 0 ? "SIGKILL" : "SIGTERM");
    });
  return { folder: cwd, steps, told: (step) => factsOf(step, key, facts), answers: facts.size };
}

const requestIds = /^x-request-id: (\S+)\r$/gim;

function factsOf(step: Step, key: string, facts: Facts): Fact[] {
  if (step.does !== "tell") return [];
  if (step.text.includes("Organization 1 is Acme."))
    return [{ kind: "organization", id: "Acme", version: 1 }];
  if (step.text.includes(key)) return [{ kind: "key", id: key.slice(-4), version: 1 }];
  return [...step.text.matchAll(requestIds)].flatMap(([, id = ""]) => facts.get(id) ?? []);
}

/** Waits for the process that writes the trace, which may end later. */
async function wholeTrace(file: string): Promise<string> {
  const deadline = Date.now() + patience;
  for (;;) {
    const trace = Bun.file(file);
    const start = await trace.slice(0, 20).text();
    const end = await trace.slice(Math.max(0, trace.size - 5_000)).text();
    if (isWhole(start, end)) return readFileSync(file, "latin1");
    if (Date.now() > deadline) throw new Error(`the trace ends with ${end.slice(-200)}`);
    await Bun.sleep(10);
  }
}

/** Throws unless the folder equals the recorded result byte for byte: otherwise a step is missing. */
function compare(disk: Disk, cwd: string): void {
  const live = disk.live();
  const isNoted = (path: string) => !/\.lock$|-shm$/.test(path) && statSync(join(cwd, path)).isFile();
  const there = readdirSync(cwd, { recursive: true, encoding: "utf8" }).filter(isNoted);
  if (there.sort().join() !== [...live.keys()].sort().join())
    throw new Error(`there are ${there}, and ${[...live.keys()]} by the record`);
  for (const [path, bytes] of live)
    if (!readFileSync(join(cwd, path)).equals(bytes)) throw new Error(`${path} is not as the record says`);
}
