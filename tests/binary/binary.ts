import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };

export type Result = { code: number; stdout: string; stderr: string };
type Settings = {
  cwd?: string;
  /** All that the process finds in its environment, beside PATH. */
  env?: Record<string, string>;
  /** Run as a user that owns nothing; without root, as the user of the tests. */
  unprivileged?: boolean;
  /** The command line of another program than the compiled one. */
  program?: readonly string[] | undefined;
};

const root = join(import.meta.dir, "../..");
const patience = { command: 15_000, start: 15_000, stop: 15_000 };
const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
const ended: (() => Promise<unknown> | undefined)[] = [];

/** Ends every process that a test started and removes its folders. Each test file calls it after each test. */
export async function endAll(): Promise<void> {
  const failures: unknown[] = [];
  for (const end of ended.splice(0).reverse()) {
    try {
      await end();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, "not all that a test started was ended");
}

/** Calls `end` after the test. */
export function finallyDo(end: () => Promise<unknown> | undefined): void {
  ended.push(end);
}

let built: Promise<string> | undefined;

/** The compiled program, built once in a run of the tests, as package.json's `compile` does. */
export function binary(): Promise<string> {
  built ??= build();
  return built;
}

async function build(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "accountd-binary-"));
  chmodSync(folder, 0o755);
  removeAfterTheRun(folder);
  const target = join(folder, "accountd");
  const line = manifest.scripts.compile.split(/\s+/);
  const command = line.map((word, i) => (line[i - 1] === "--outfile" ? target : word));
  if (command[0] !== "bun" || !command.includes(target)) throw new Error(`no build command: ${line}`);
  const made = Bun.spawnSync([process.execPath, ...command.slice(1)], { cwd: root });
  if (made.exitCode !== 0) throw new Error(`the build failed: ${made.stderr}`);
  return target;
}

/** Kept, for a pipe that nobody holds is closed. */
const removers: Bun.Subprocess<"pipe", "ignore", "ignore">[] = [];

/**
 * Removes the folder once this process has ended, however it ends: a shell waits for it to let go of a pipe. No hook
 * of the tests runs when the last file is done.
 */
export function removeAfterTheRun(folder: string): void {
  const script = 'trap "" INT TERM HUP; cat; rm -rf "$0"';
  const remover = Bun.spawn(["sh", "-c", script, folder], {
    stdin: "pipe",
    stdout: "ignore",
    stderr: "ignore",
  });
  remover.unref();
  removers.push(remover);
}

/** A new empty folder that is removed after the test. */
export function folder({ unprivileged = false } = {}): string {
  const path = mkdtempSync(join(tmpdir(), "accountd-run-"));
  if (unprivileged && isRoot) chownSync(path, nobody, nobody);
  ended.push(async () => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Runs a command to its end. */
export async function run(args: string[], settings: Settings = {}): Promise<Result> {
  const child = await spawn(args, settings);
  const code = await within(patience.command, child.process.exited, `accountd ${args.join(" ")}`);
  await child.read;
  return { code, stdout: child.stdout(), stderr: child.stderr() };
}

/** Runs a command that must succeed, and returns what it printed, without the last line's end. */
export async function output(args: string[], settings: Settings = {}): Promise<string> {
  const { code, stdout, stderr } = await run(args, settings);
  if (code !== 0) throw new Error(`accountd ${args.join(" ")}: exit ${code}\n${stderr}`);
  return stdout.trimEnd();
}

export type Running = Awaited<ReturnType<typeof start>>;

/** Starts a command that serves, and waits until it has said what `ready` matches: its address first. */
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
  const deadline = Date.now() + patience.start;
  while (!ready.test(stdout()) && child.process.exitCode === null && Date.now() < deadline)
    await Bun.sleep(5);
  const url = ready.exec(stdout())?.[1];
  if (!url) throw new Error(`accountd ${args.join(" ")} does not serve:\n${stdout()}${stderr()}`);
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
      const code = await within(patience.stop, child.process.exited, `the end after ${signal}`);
      await child.read;
      return code;
    },
  };
}

async function spawn(args: string[], { cwd = folder(), env = {}, unprivileged, program }: Settings) {
  const ids = [`--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"];
  const command = [...(program ?? [await binary()]), ...args];
  const child = Bun.spawn(unprivileged && isRoot ? ["setpriv", ...ids, ...command] : command, {
    cwd,
    env: { PATH: Bun.env.PATH ?? "", ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  ended.push(() => {
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

async function within<T>(milliseconds: number, promise: Promise<T>, what: string): Promise<T> {
  const late = Symbol("late");
  const first = await Promise.race([promise, Bun.sleep(milliseconds).then(() => late)]);
  if (first === late) throw new Error(`${what} took more than ${milliseconds} ms`);
  return promise;
}
