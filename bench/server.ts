import { closeSync, existsSync, fsyncSync, openSync, readFileSync, rmSync } from "node:fs";
import type { Subprocess } from "bun";
import type { Contestant } from "./contestants.ts";

/** Time limits of the start and of the stop of a server, in milliseconds. */
const patience = { start: 30_000, stop: 10_000 };
/** The running servers of this process. Only these are stopped. */
const running = new Set<Subprocess>();

export type Server = {
  port: number;
  pid: number;
  /** Milliseconds from the start of the process to the first 200 of /livez, or of the contestant's own probe. */
  startedIn: number;
  /** Current and maximal memory in MB, or undefined if the system does not report it. */
  memory(): { now: number; peak: number } | undefined;
  stop(): Promise<void>;
};

/** Starts a contestant on a database, and resolves when it replies. Throws with its output if it does not. */
export async function startServer(
  contestant: Contestant,
  database: string,
  log = `${database}.log`,
): Promise<Server> {
  const port = freePort();
  const { cmd, env } = contestant.command(port, database);
  const output = openSync(log, "w");
  const start = performance.now();
  const child = Bun.spawn(cmd, {
    env: { PATH: Bun.env.PATH ?? "", HOME: Bun.env.HOME ?? "", ...env },
    stdin: "ignore",
    stdout: output,
    stderr: output,
  });
  closeSync(output);
  running.add(child);
  child.exited.then(() => running.delete(child));
  const server: Server = {
    port,
    pid: child.pid,
    startedIn: 0,
    memory: () => memoryOf(child.pid),
    stop: () => stop(child),
  };
  while (!(await isAlive(port))) {
    if (child.exitCode !== null || performance.now() - start > patience.start) {
      await stop(child);
      throw new Error(`${contestant.name} does not reply.\n${readFileSync(log, "utf8").slice(-1_000)}`);
    }
    await Bun.sleep(1);
  }
  server.startedIn = performance.now() - start;
  return server;
}

/** Kills the running servers, for an unexpected exit. */
export function endServers(): void {
  for (const child of running) child.kill("SIGKILL");
}

/** A synced copy, so that its pages are not written back during a measurement. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  removeDatabase(to);
  const copied = await Bun.$`cp --reflink=auto ${from} ${to}`.nothrow().quiet();
  if (copied.exitCode !== 0) throw new Error(`${from} cannot be copied: ${copied.stderr}`);
  const descriptor = openSync(to, "r+");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

export function removeDatabase(file: string): void {
  for (const suffix of ["", "-wal", "-shm", ".lock", ".log"]) rmSync(file + suffix, { force: true });
}

async function isAlive(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/livez`, { signal: AbortSignal.timeout(1_000) });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}

async function stop(child: Subprocess): Promise<void> {
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), patience.stop);
  await child.exited;
  clearTimeout(late);
}

function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  listener.stop(true);
  return listener.port;
}

function memoryOf(pid: number): { now: number; peak: number } | undefined {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return undefined;
  const status = readFileSync(file, "utf8");
  const megabytes = (name: string) =>
    (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1024) / 1e6;
  return { now: megabytes("VmRSS"), peak: megabytes("VmHWM") };
}
