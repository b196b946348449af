import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeAfterTest } from "../support/cleanup.ts";
import { withTimeLimit } from "../support/time-limit.ts";
import { binary } from "./build.ts";

export type Result = { code: number; stdout: string; stderr: string };
type Settings = {
  cwd?: string;
  /** The whole environment of the process, except PATH. */
  env?: Record<string, string>;
  /** Runs as an unprivileged user. Without root, as the user of the tests. */
  unprivileged?: boolean;
  /** The command line of another program than the compiled one. */
  program?: readonly string[] | undefined;
};

const timeoutMilliseconds = { command: 15_000, start: 15_000, stop: 15_000 };
const isRoot = process.getuid?.() === 0;
const unprivilegedId = 65_534;

/** A new empty folder that is removed after the test. */
export function folder({ unprivileged = false } = {}): string {
  const path = mkdtempSync(join(tmpdir(), "accountd-run-"));
  if (unprivileged && isRoot) chownSync(path, unprivilegedId, unprivilegedId);
  closeAfterTest(async () => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Runs a command until it exits. */
export async function run(args: string[], settings: Settings = {}): Promise<Result> {
  const child = await spawn(args, settings);
  const code = await withTimeout(
    timeoutMilliseconds.command,
    child.process.exited,
    `accountd ${args.join(" ")}`,
  );
  await child.read;
  return { code, stdout: child.stdout(), stderr: child.stderr() };
}

/** Runs a command that must succeed, and returns its standard output without the trailing newline. */
export async function output(args: string[], settings: Settings = {}): Promise<string> {
  const { code, stdout, stderr } = await run(args, settings);
  if (code !== 0) throw new Error(`accountd ${args.join(" ")}: exit ${code}\n${stderr}`);
  return stdout.trimEnd();
}

export type Running = Awaited<ReturnType<typeof start>>;

/** Starts a server and waits until its output matches `ready`, whose first group is the URL. */
export async function start(
  args: string[],
  settings: Settings = {},
  ready = /serves (http:\S+)/,
): Promise<{
  url: string;
  pid: number;
  stdout: () => string;
  stderr: () => string;
  isRunning: () => boolean;
  kill: (signal: NodeJS.Signals) => void;
  /** Sends the signal and returns the exit code. */
  stop: (signal?: NodeJS.Signals) => Promise<number>;
}> {
  const child = await spawn(args, settings);
  const { stdout, stderr } = child;
  const deadline = Date.now() + timeoutMilliseconds.start;
  while (!ready.test(stdout()) && child.process.exitCode === null && Date.now() < deadline)
    await Bun.sleep(5);
  const url = ready.exec(stdout())?.[1];
  if (!url) throw new Error(`accountd ${args.join(" ")} did not start:\n${stdout()}${stderr()}`);
  const kill = (signal: NodeJS.Signals) => child.process.kill(signal);
  return {
    url,
    pid: child.process.pid,
    stdout,
    stderr,
    isRunning: () => child.process.exitCode === null,
    kill,
    stop: async (signal = "SIGTERM") => {
      kill(signal);
      const code = await withTimeout(
        timeoutMilliseconds.stop,
        child.process.exited,
        `the stop after ${signal}`,
      );
      await child.read;
      return code;
    },
  };
}

async function spawn(args: string[], { cwd = folder(), env = {}, unprivileged, program }: Settings) {
  const ids = [`--reuid=${unprivilegedId}`, `--regid=${unprivilegedId}`, "--clear-groups"];
  const command = [...(program ?? [await binary()]), ...args];
  const child = Bun.spawn(unprivileged && isRoot ? ["setpriv", ...ids, ...command] : command, {
    cwd,
    env: { PATH: Bun.env.PATH ?? "", ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  closeAfterTest(() => {
    child.kill("SIGKILL");
    return child.exited;
  });
  const out = collect(child.stdout);
  const err = collect(child.stderr);
  return { process: child, stdout: out.text, stderr: err.text, read: Promise.all([out.read, err.read]) };
}

function collect(stream: ReadableStream<Uint8Array>): { text: () => string; read: Promise<void> } {
  const decoder = new TextDecoder();
  let text = "";
  const read = (async () => {
    for await (const chunk of stream) text += decoder.decode(chunk, { stream: true });
  })();
  return { text: () => text, read };
}

async function withTimeout<T>(milliseconds: number, promise: Promise<T>, description: string): Promise<T> {
  const timedOut = Symbol("late");
  const first = await withTimeLimit(milliseconds, promise, timedOut);
  if (first === timedOut) throw new Error(`${description} took more than ${milliseconds} ms`);
  return promise;
}
