import type { Running } from "../binary/binary.ts";
import type { Program, Proof, Scale } from "../support/proof.ts";
import { AccountsBook } from "./accounts-book.ts";
import { swallowedCommit } from "./controls/disk-errors.ts";
import { database } from "./database-kept.ts";
import { afterFailedSync, type Call, type Injection, inject, whyNoInjection } from "./injection.ts";

/** When the call fails: during writes before a kill, during writes that continue, or during the stop. */
type Way = "killed" | "going on" | "stopping";
type Case = Injection & { way: Way };

const calls: Call[] = ["pwrite64", "fsync,fdatasync", "ftruncate"];
const most = 200;
/** The maximum number of writes while the call does not occur. */
const writesAtMost = 600;
/** The maximum milliseconds until the service stops, with any disk error. */
const stopsWithin = 5_000;
/** The number of failures for each new database, so that restarts stay fast. */
const casesEach = 50;

const few: Case[] = [
  { call: "fsync,fdatasync", error: "EIO", n: 2, way: "killed" },
  { call: "fsync,fdatasync", error: "EIO", n: 6, way: "going on" },
  { call: "pwrite64", error: "EIO", n: 5, way: "killed" },
  { call: "pwrite64", error: "ENOSPC", n: 60, way: "going on" },
  { call: "pwrite64", error: "EIO", n: 4, way: "stopping" },
  { call: "ftruncate", error: "EIO", n: 1, way: "stopping" },
];

/** Each n with both errors: one is followed by a kill, the other by further writes. */
function allCases(): Case[] {
  const cases: Case[] = [];
  for (const call of calls)
    for (let n = 1; n <= most; n += 1)
      for (const [i, error] of (["EIO", "ENOSPC"] as const).entries()) {
        if (call !== "ftruncate") cases.push({ call, error, n, way: (n + i) % 2 ? "killed" : "going on" });
        cases.push({ call, error, n, way: "stopping" });
      }
  return cases;
}

export const diskErrors: Proof = {
  name: "disk-errors",
  claim:
    "Whichever write, fsync or ftruncate fails, changes with a 2xx reply are stored and those with a 5xx reply are not",
  missing: whyNoInjection,
  run: tryAll,
  controls: [swallowedCommit],
};

async function tryAll(program: Program, scale: Scale, print: (line: string) => void) {
  const cases = scale === "short" ? few : allCases();
  const tried = { failures: 0, "answers 201": 0, "answers 5xx": 0, "descriptors given up": 0 };
  const faults: string[] = [];
  /** The calls that a stop does not make so often, which are not tried again. */
  const neverComes = new Set<string>();
  let kept = await database(program);
  let server = await kept.serve();
  let ran = 0;
  for (const one of cases) {
    const kind = `${one.call} ${one.way}`;
    if (neverComes.has(kind)) continue;
    if (++ran % casesEach === 0) {
      await server.stop();
      kept = await database(program);
      server = await kept.serve();
      print(`${tried.failures} failures, ${faults.length} faults found; now ${one.call} ${one.n}`);
    }
    const book = new AccountsBook(kept.key);
    const { lines, happened } = await fail(one, server, kept.file, book);
    server = await kept.serve();
    await book.readBack(server.url);
    const found = [...book.faults];
    if (happened) tried.failures += 1;
    else if (one.way === "stopping") neverComes.add(kind);
    else throw new Error(`there was no ${one.call} number ${one.n}`);
    if (happened && one.way !== "stopping" && one.call.startsWith("fsync") && book.refused.size > 0) {
      found.push(...[afterFailedSync(lines)].filter((fault) => fault !== undefined));
      tried["descriptors given up"] += 1;
    }
    tried["answers 201"] += book.stored.size;
    tried["answers 5xx"] += book.refused.size;
    faults.push(...found.map((fault) => `${one.call} ${one.n} ${one.error}, ${one.way}: ${fault}`));
  }
  await server.stop();
  return { tried, faults };
}

/** Makes the call fail, and stops the service. */
async function fail(one: Case, server: Running, file: string, book: AccountsBook) {
  if (one.way === "stopping") for (let i = 0; i < 5; i += 1) await book.write(server.url);
  const injected = await inject(one, server.pid, file);
  // Sequential before a kill: a later write could overwrite the traces of the failed one.
  const writers = { killed: 1, "going on": 4, stopping: 0 }[one.way];
  await Promise.all(Array.from({ length: writers }, writeUntilFailed));
  if (one.way === "going on")
    for (let i = 0; i < 3; i += 1)
      if ((await book.write(server.url)) !== 201) book.faults.push("no write succeeds after the failure");
  const start = performance.now();
  const code = await server.stop(one.way === "killed" ? "SIGKILL" : "SIGTERM");
  if (one.way !== "killed" && code !== 0) book.faults.push(`it stopped with ${code}: ${server.stderr()}`);
  const took = performance.now() - start;
  if (took > stopsWithin) book.faults.push(`it stopped after ${Math.round(took)} ms`);
  await injected.end();
  return { lines: injected.lines(), happened: injected.happened() };

  async function writeUntilFailed(): Promise<void> {
    for (let i = 0; i < writesAtMost && !injected.happened(); i += 1) await book.write(server.url);
  }
}
