import type { Database } from "bun:sqlite";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { folder, type Running, start } from "../binary/binary.ts";
import { sendRequest } from "../binary/service.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import type { PrintLine, Program } from "../support/proof.ts";
import { findMarker, type MarkedDatabase, marker } from "./deletion-texts.ts";
import { logged, untilDone } from "./served-copy.ts";
import { inspect } from "./stored-halves.ts";

const accounts = "/api/v1/accounts";
const clients = 4;
/** A kill may come after the deletion. */
const attemptsPerKill = 4;

type Scene = { program: Program; marked: MarkedDatabase; file: string; cwd: string; faults: string[] };
export type KillLimits = {
  /** Milliseconds in which a server that found a deletion deletes something more. */
  patience: number;
  /** Kills during a deletion. */
  kills: number;
  /** Milliseconds of a deletion after which a process is killed, at most. */
  longestLife: number;
};

/** Deletes the organization next to a server that is in use. */
export async function deleteNextToServer(program: Program, marked: MarkedDatabase): Promise<string[]> {
  const scene = copy(program, marked);
  const server = await serve(scene);
  let isOver = false;
  const requests = Array.from({ length: clients }, async (_, client) => {
    for (let i = 0; !isOver; i += 1) await useBoth(scene, server, i * clients + client);
  });
  const { code, error } = await ended(command(scene));
  if (code !== 0) scene.faults.push(`organizations delete ends with ${code}: ${error}`);
  reportMarker(scene, "right after the deletion next to a server");
  const { status } = await sendRequest(server.url, marked.key, "GET", accounts);
  if (status !== 401) scene.faults.push(`a key of the deleted organization is answered ${status}`);
  isOver = true;
  await Promise.all(requests);
  scene.faults.push(...logged(server));
  await server.stop();
  reportMarker(scene, "after the stop of the server");
  return scene.faults;
}

export async function deleteWithoutServer(program: Program, marked: MarkedDatabase): Promise<string[]> {
  const scene = copy(program, marked);
  const { code, error } = await ended(command(scene));
  if (code !== 0) scene.faults.push(`organizations delete ends with ${code}: ${error}`);
  reportMarker(scene, "after the deletion without a server");
  return scene.faults;
}

/** Kills the server, or the command that has no server, during the deletion. The next server ends the deletion. */
export async function killOrganizationDeletion(
  program: Program,
  marked: MarkedDatabase,
  limits: KillLimits,
  print: PrintLine,
): Promise<{ faults: string[]; hits: number }> {
  const faults: string[] = [];
  let hits = 0;
  const attempts = limits.kills * attemptsPerKill;
  for (let kill = 0; kill < attempts && hits < limits.kills && faults.length === 0; kill += 1) {
    const scene = copy(program, marked);
    const victim = kill % 2 === 0 ? "the server" : "the command";
    const life = Math.random() * limits.longestLife;
    if (victim === "the server") await killServer(scene, life);
    else await killCommand(scene, life);
    const state = stateOf(scene.file);
    if (state === "deleting") hits += 1;
    if (state === "present") continue;
    const server = await serve(scene);
    const rest = () => (stateOf(scene.file) === "gone" ? undefined : inspect(scene.file, rowsLeft));
    if (!(await untilDone(limits.patience, rest)))
      scene.faults.push(`${victim} was killed, and in ${limits.patience} ms nothing more is deleted`);
    const { status } = await sendRequest(server.url, marked.key, "GET", accounts);
    if (status !== 401) scene.faults.push(`a key of the organization is answered ${status}`);
    reportMarker(scene, `${victim} was killed, and the next server ended the deletion:`);
    scene.faults.push(...logged(server));
    await server.stop();
    reportMarker(scene, `${victim} was killed, and the next server was stopped:`);
    faults.push(...scene.faults);
  }
  print(`${hits} kills during the deletion of an organization`);
  return { faults, hits };
}

async function killServer(scene: Scene, life: number): Promise<void> {
  const server = await serve(scene);
  const deletion = command(scene);
  await untilMarked(scene);
  await Bun.sleep(life);
  await server.stop("SIGKILL");
  const { code, error } = await ended(deletion);
  if (code !== 0 && !/did not reply|is deleted/.test(error))
    scene.faults.push(`the command says of the server that was killed: ${error}`);
}

async function killCommand(scene: Scene, life: number): Promise<void> {
  const deletion = command(scene);
  await untilMarked(scene);
  await Bun.sleep(life);
  deletion.kill("SIGKILL");
  await deletion.exited;
}

/** Waits until the deletion has begun. */
async function untilMarked({ file }: Scene): Promise<void> {
  const deadline = performance.now() + 15_000;
  while (stateOf(file) === "present") {
    if (performance.now() > deadline) throw new Error("no deletion was begun");
    await Bun.sleep(1);
  }
}

/** The number of rows in the tables that are deleted first, next and last, as text. */
function rowsLeft(client: Database): string {
  const counts = ["changes", "events", "accounts"].map((table) => {
    const sql = `SELECT count(*) FROM ${table} WHERE organization_id = 2`;
    return client.query(sql).values().join();
  });
  return counts.join(" ");
}

function stateOf(file: string): "present" | "deleting" | "gone" {
  return inspect(file, (client) => {
    const sql = "SELECT deleted_at FROM organizations WHERE id = 2";
    const row = client.query<{ deleted_at: number | null }, []>(sql).get();
    if (!row) return "gone";
    return row.deleted_at === null ? "present" : "deleting";
  });
}

/** One request of each organization. The one to delete must be answered, or its key refused; the other answered. */
async function useBoth({ marked, faults }: Scene, { url }: Running, number: number): Promise<void> {
  const { key, otherKey, otherAccount } = marked;
  const [own, other] = await Promise.all([
    number % 2 === 0
      ? sendRequest(url, key, "GET", `${accounts}?search=${marker}`)
      : sendRequest(url, key, "POST", accounts, { name: `${marker} during the deletion ${number}` }),
    number % 2 === 0
      ? sendRequest(url, otherKey, "GET", `${accounts}/${otherAccount}`)
      : sendRequest(url, otherKey, "PATCH", `${accounts}/${otherAccount}`, { mrr: number }),
  ]);
  if (![200, 201, 401].includes(own.status))
    faults.push(`the organization to delete is answered ${own.text}`);
  if (other.status !== 200) faults.push(`the other organization is answered ${other.status} ${other.text}`);
}

function reportMarker({ file, faults }: Scene, when: string): void {
  for (const found of findMarker(file)) faults.push(`${when} the organization's texts are in ${found}`);
}

function copy(program: Program, marked: MarkedDatabase): Scene {
  const cwd = folder();
  const file = join(cwd, "accountd.db");
  copyFileSync(marked.file, file);
  return { program, marked, file, cwd, faults: [] };
}

function serve({ program, cwd, file }: Scene): Promise<Running> {
  // The clients go on with the key of the deleted organization.
  const words = ["serve", "--port", "0", "--auth-failure-limit", "0"];
  return start(words, { cwd, env: { DATABASE_URL: file }, program });
}

/** The command that deletes the organization, running. */
function command({ program, cwd, file }: Scene) {
  const child = Bun.spawn([...program, "organizations", "delete", marker, "--yes"], {
    cwd,
    env: { PATH: Bun.env.PATH ?? "", DATABASE_URL: file },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  closeAfterTest(() => {
    child.kill("SIGKILL");
    return child.exited;
  });
  return child;
}

async function ended(child: ReturnType<typeof command>): Promise<{ code: number; error: string }> {
  const error = await new Response(child.stderr).text();
  return { code: await child.exited, error };
}
