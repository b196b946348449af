import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrations as list } from "../../db/sqlite/migrations/list.ts";
import type { Program, Proof, Scale } from "../support/proof.ts";
import {
  appliedBeforeRecorded,
  copyNamedTooEarly,
  losesScores,
  statementsApart,
} from "./controls/migrations.ts";
import { releasedDatabase } from "./migrations-content.ts";
import { appliedAt, differing, looking, schemaOf, type View, viewOf } from "./migrations-view.ts";
import { damageOf } from "./stored-halves.ts";

const sizes: Record<Scale, { accounts: number; points: number }> = {
  short: { accounts: 500, points: 3 },
  long: { accounts: 10_000, points: 50 },
};
/** The maximum milliseconds of one run of the program on a busy machine. */
const patience = 20_000;
type Command = "migrate" | "serve";

/** Kills upgrades at many times, and opens the remaining files with the program. */
export const migrations: Proof = {
  name: "migrations",
  claim:
    "an upgrade of any released schema that is killed at any moment loses no row, and is completed when the file is opened again",
  async run(program, scale, print) {
    const { accounts, points } = sizes[scale];
    const tried = { schemas: 0, kills: 0, "kills before the commit": 0, "rows compared": 0 };
    const faults: string[] = [];
    const folder = mkdtempSync(join(tmpdir(), "accountd-migrations-"));
    try {
      const fresh = join(folder, "fresh.db");
      await toReadiness(program, "migrate", fresh);
      const wanted = looking(fresh, schemaOf);
      for (let length = 1; length < list.length; length += 1) {
        const template = join(folder, `released-${length}.db`);
        await releasedDatabase(template, length, accounts);
        const scene = {
          program,
          template,
          length,
          folder,
          wanted,
          before: looking(template, (client) => viewOf(client)),
        };
        let time = await timeOf(scene);
        tried.schemas += 1;
        for (let point = 0; point < points; ) {
          const command = (points - point) % 2 === 0 ? "migrate" : "serve";
          const delay = (time * point) / (points - 1);
          const end = await killed(scene, command, delay);
          if (end === "ended before") {
            // The measured time was too long because the machine was busy.
            time *= 0.8;
            if (time < 0.1) throw new Error("no upgrade lasts long enough to be killed");
            continue;
          }
          point += 1;
          tried.kills += 1;
          if (!end.wasCommitted) tried["kills before the commit"] += 1;
          tried["rows compared"] += scene.before.rows;
          const where = `${command} from schema ${length}, killed ${delay.toFixed(1)} ms after the copy was begun`;
          faults.push(...end.faults.map((fault) => `${where}: ${fault}`));
          // The short form stops at the first fault, the long one reports all.
          if (scale === "short" && faults.length > 0) return { tried, faults };
        }
        print(`schema ${length}: ${tried.kills} kills so far; an upgrade takes ${time.toFixed(0)} ms`);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    return { tried, faults };
  },
  controls: [statementsApart, appliedBeforeRecorded, copyNamedTooEarly, losesScores],
};

type Scene = {
  program: Program;
  /** The database of a release, its number of migrations, its content, and its expected schema. */
  template: string;
  length: number;
  before: View;
  wanted: string;
  folder: string;
};

/** The milliseconds of an uninterrupted upgrade, from the beginning of the copy. */
async function timeOf(scene: Scene): Promise<number> {
  const file = newFile(scene);
  const child = begin(scene.program, "migrate", file);
  const start = beginOfCopy(file);
  if ((await child.exited) !== 0) throw new Error(`the upgrade fails: ${await textOf(child.stderr)}`);
  return performance.now() - start;
}

/** Kills an upgrade this number of milliseconds after the beginning of its copy, and opens the file again. */
async function killed(scene: Scene, command: Command, delay: number) {
  const { program, length, before, wanted } = scene;
  const file = newFile(scene);
  const copy = `${file}.before-${length + 1}`;
  const child = begin(program, command, file);
  const start = beginOfCopy(file);
  while (performance.now() - start < delay);
  child.kill("SIGKILL");
  const at = Date.now();
  await child.exited;
  if (child.signalCode !== "SIGKILL") return "ended before";
  // Only the copy is read here: the program must be the first to open the database with its WAL.
  const faults = existsSync(copy) ? faultsOfCopy(copy, before) : [];
  let refusal = await toReadiness(program, command, file);
  if (refusal !== undefined) {
    faults.push(`the file is not opened again: ${refusal}`);
    rmSync(copy, { force: true });
    refusal = await toReadiness(program, command, file);
    if (refusal !== undefined) faults.push(`nor without the copy: ${refusal}`);
  } else faults.push(...(existsSync(copy) ? faultsOfCopy(copy, before) : ["no copy is there in the end"]));
  faults.push(...faultsOfDatabase(file, before, wanted, command));
  const wasCommitted = looking(file, (client) => appliedAt(client, length + 1)) <= at;
  rmSync(join(file, ".."), { recursive: true });
  return { wasCommitted, faults };
}

function faultsOfCopy(copy: string, before: View): string[] {
  try {
    return looking(copy, (client) => [
      ...damageOf(client).map((damage) => `the copy is damaged: ${damage}`),
      ...differing(before, viewOf(client)).map((table) => `the copy has other rows in ${table}`),
    ]);
  } catch (error) {
    return [`the copy is half made: ${error}`];
  }
}

/** After the upgrade, which makes all scores stale, a server recomputes them and records the changes of tiers. */
const recomputed: Readonly<Record<Command, readonly string[]>> = {
  migrate: [],
  serve: ["account_health", "account_counts", "health_progress", "health_days", "changes"],
};

function faultsOfDatabase(file: string, before: View, wanted: string, command: Command): string[] {
  try {
    return looking(file, (client) => [
      ...damageOf(client),
      ...differing(before, viewOf(client, before))
        .filter((table) => !recomputed[command].includes(table))
        .map((table) => `the rows of ${table} are not what they were`),
      ...(schemaOf(client) === wanted ? [] : ["the schema is not that of a new database"]),
    ]);
  } catch (error) {
    return [`the database cannot be read: ${error}`];
  }
}

/** A copy of the release's database in its own folder. */
function newFile({ folder, template }: Scene): string {
  const place = mkdtempSync(join(folder, "upgrade-"));
  copyFileSync(template, join(place, "accountd.db"));
  return join(place, "accountd.db");
}

/** Polls without a pause until the copy before the upgrade exists; returns the time. */
function beginOfCopy(file: string): number {
  const folder = join(file, "..");
  const end = performance.now() + patience;
  while (!readdirSync(folder).some((name) => name.includes(".before-")))
    if (performance.now() > end) throw new Error("no upgrade was begun");
  return performance.now();
}

function begin(program: Program, command: Command, file: string) {
  const words = [command, "--database", file, ...(command === "serve" ? ["--port", "0"] : [])];
  return Bun.spawn([...program, ...words], {
    env: { PATH: Bun.env.PATH ?? "" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: patience,
    killSignal: "SIGKILL",
  });
}

/** Opens the database with the program until it is upgraded or serves. Otherwise returns the output. */
async function toReadiness(program: Program, command: Command, file: string): Promise<string | undefined> {
  const child = begin(program, command, file);
  const error = textOf(child.stderr);
  const serves = command === "serve" && (await firstOf(child.stdout)).includes("serves http");
  if (serves) child.kill("SIGTERM");
  const code = await child.exited;
  return code === 0 && (serves || command === "migrate")
    ? undefined
    : `exit ${code}, ${(await error).trim()}`;
}

/** The first output; empty when the stream ends without any. */
async function firstOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  for await (const chunk of stream) return new TextDecoder().decode(chunk);
  return "";
}

function textOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  return new Response(stream).text();
}
