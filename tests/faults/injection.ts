import { readFileSync } from "node:fs";
import { join } from "node:path";
import { folder } from "../binary/binary.ts";
import { closeAfterTest } from "../support/cleanup.ts";

/** System calls that change a file, as strace names them. */
export type Call = "pwrite64" | "fsync,fdatasync" | "ftruncate";
export type Injection = { call: Call; error: "EIO" | "ENOSPC"; n: number };

const traced = "pwrite64,fsync,fdatasync,ftruncate,close";
const patience = 10_000;

/** The reason why system calls cannot be made to fail on this machine, or undefined. */
export function whyNoInjection(): string | undefined {
  if (Bun.which("strace") === null) return "there is no strace";
  const other = Bun.spawn(["sleep", "0.2"]);
  const { exitCode, stderr } = Bun.spawnSync(["strace", "-qq", "-o", "/dev/null", "-p", String(other.pid)]);
  return exitCode === 0 ? undefined : `strace may not attach: ${stderr.toString().trim()}`;
}

/** Makes the n-th such call on the database's files fail in the running process. Resolves when strace is attached. */
export async function inject({ call, error, n }: Injection, pid: number, file: string) {
  const record = join(folder(), "record");
  const files = ["", "-wal", "-shm"].flatMap((suffix) => ["-P", file + suffix]);
  const fault = ["-e", `trace=${traced}`, "-e", `inject=${call}:error=${error}:when=${n}`];
  const words = ["-f", "-y", "-s", "0", "-o", record, ...fault, ...files, "-p", String(pid)];
  const strace = Bun.spawn(["strace", ...words], { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  closeAfterTest(() => {
    strace.kill("SIGTERM");
    return strace.exited;
  });
  let said = "";
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of strace.stderr) said += decoder.decode(chunk, { stream: true });
  })();
  const end = performance.now() + patience;
  while (!said.includes("attached")) {
    if (strace.exitCode !== null || performance.now() > end)
      throw new Error(`strace did not attach: ${said}`);
    await Bun.sleep(2);
  }
  const lines = () => readFileSync(record, "utf8").split("\n");
  return {
    lines,
    happened: () => lines().some((line) => line.includes("(INJECTED)")),
    /** Detaches from the process, if it still runs. */
    end: async () => {
      strace.kill("SIGTERM");
      await Promise.all([strace.exited, reading]);
    },
  };
}

/**
 * The calls on a file descriptor after its fsync failed: only a close is allowed. After such a failure the kernel marks
 * the unwritten pages as clean, so that the next fsync would wrongly succeed.
 */
export function afterFailedSync(lines: readonly string[]): string | undefined {
  const at = lines.findIndex((line) => /sync\(.*INJECTED/.test(line));
  const descriptor = /sync\((\d+)</.exec(lines[at] ?? "")?.[1];
  if (descriptor === undefined) throw new Error("no fsync failed");
  const next = lines.slice(at + 1).find((line) => new RegExp(`\\b\\w+\\(${descriptor}<`).test(line));
  if (next === undefined) return "a descriptor whose fsync had failed was not closed";
  return / close\(/.test(next) ? undefined : `after a failed fsync its descriptor was used: ${next}`;
}
