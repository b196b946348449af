import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { sendRequest } from "../binary/service.ts";
import type { Program } from "../support/proof.ts";
import type { Restartable } from "./restarts.ts";
import { inspect, unsound } from "./stored-halves.ts";

/** The exit code and standard error of a command, which is killed after some milliseconds if that is given. */
export async function runCommand(program: Program, args: readonly string[], killAfter?: number) {
  const child = Bun.spawn([...program, ...args], { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  const timer = killAfter === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfter);
  const stderr = await new Response(child.stderr).text();
  const code = await child.exited;
  clearTimeout(timer);
  return { code, stderr, wasKilled: child.signalCode === "SIGKILL" };
}

/** Between two writes of a writer: a large file takes long to compare. */
const pauseMilliseconds = 20;

/** Creates accounts until it is stopped, also after restarts of the server. */
export function startWriters(database: Restartable, count: number) {
  const acknowledged = new Set<string>();
  let [isOver, number] = [false, 0];
  const write = async () => {
    while (!isOver) {
      const name = `account ${++number} ${"x".repeat(200)}`;
      const body = { name, contactName: "Ada" };
      const reply = await sendRequest(database.url(), database.key, "POST", "/api/v1/accounts", body).catch(
        () => undefined,
      );
      if (reply?.status === 201) acknowledged.add(name);
      else if (reply && reply.status < 500) throw new Error(reply.text);
      await Bun.sleep(pauseMilliseconds);
    }
  };
  const running = Promise.all(Array.from({ length: count }, write));
  const stop = () => {
    isOver = true;
    return running;
  };
  return { acknowledged, stop };
}

/** A line for each fault of a complete backup that was begun when these accounts were acknowledged. */
export function faultsOfBackup(backup: string, names: readonly string[]): string[] {
  const name = basename(backup);
  try {
    const hash = new Bun.CryptoHasher("sha256").update(readFileSync(backup)).digest("hex");
    const recorded = readFileSync(`${backup}.sha256`, "utf8");
    const stored = new Set(
      inspect(backup, (file) => file.query("SELECT name FROM accounts").values().flat().map(String)),
    );
    const lost = names.filter((account) => !stored.has(account)).length;
    return [
      ...(recorded === `${hash}  ${name}\n` ? [] : [`${name} has another hash than ${name}.sha256`]),
      ...(lost > 0 ? [`${name} lacks ${lost} acknowledged accounts`] : []),
      ...inspect(backup, unsound).map((fault) => `${name}: ${fault}`),
    ];
  } catch (error) {
    return [`${name} has its name and cannot be read: ${error}`];
  }
}

/** The number of accounts of a file that no server uses; -1 if there is none. */
export function countAccounts(file: string): number {
  if (!existsSync(file)) return -1;
  return Number(inspect(file, (client) => client.query("SELECT count(*) FROM accounts").values()[0]?.[0]));
}

/** Overwrites some bytes at a random place behind the header. */
export function damage(file: string, target: string): void {
  const bytes = readFileSync(file);
  const start = 4_096 + Math.floor(Math.random() * (bytes.length - 8_192));
  bytes.fill(0x5a, start, start + 4_096);
  writeFileSync(target, bytes);
  writeFileSync(`${target}.sha256`, readFileSync(`${file}.sha256`));
}

/** Removes the databases that restores replaced. */
export function removeReplaced(file: string): void {
  for (const name of readdirSync(dirname(file)))
    if (name.startsWith(`${basename(file)}.replaced-`)) rmSync(join(dirname(file), name));
}
