import { readFileSync } from "node:fs";
import { join } from "node:path";
import { folder, onTestEnd } from "../binary/binary.ts";

/** System calls that change a file, as strace names them. */
export type Call = "pwrite64" | "fsync,fdatasync" | "ftruncate";
export type Injection = { call: Call; error: "EIO" | "ENOSPC"; n: number };

const traced = "pwrite64,fsync,fdatasync,ftruncate,close";
const patience = 10_000;

/** Why no system call can be made to fail on this machine; undefined when it can. */
export function whyNoInjection(): string | undefined {
  if (Bun.which("strace") === null) return "there is no strace";
  const other = Bun.spawn(["sleep", "0.2"]);
  const { exitCode, stderr } = Bun.spawnSync(["strace", "-qq", "-o", "/dev/null", "-p", String(other.pid)]);
  return exitCode === 0 ? undefined : `strace may not attach: ${stderr.toString().trim()}`;
}

/**
 * From now on the n-th such call of the running process fails; counted are those on the database's files.
 * Resolves when the process is watched.
 */
export async function inject({ call, error, n }: Injection, pid: number, file: string) {
  const record = join(folder(), "record");
  const files = ["", "-wal", "-shm"].flatMap((suffix) => ["-P", file + suffix]);
  const fault = ["-e", `trace=${traced}`, "-e", `inject=${call}:error=${error}:when=${n}`];
  const words = ["-f", "-y", "-s", "0", "-o", record, ...fault, ...files, "-p", String(pid)];
  const strace = Bun.spawn(["strace", ...words], { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  onTestEnd(() => {
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
    /** Lets the process go on alone, if it still runs. */
    end: async () => {
      strace.kill("SIGTERM");
      await Promise.all([strace.exited, reading]);
    },
  };
}

/**
 * What was done with a file descriptor after its fsync had failed: it has to be closed, and nothing else. After
 * such a failure the pages that were not written count as written, so that the next fsync would succeed wrongly.
 */
export function afterFailedSync(lines: readonly string[]): string | undefined {
  const at = lines.findIndex((line) => /sync\(.*INJECTED/.test(line));
  const descriptor = /sync\((\d+)</.exec(lines[at] ?? "")?.[1];
  if (descriptor === undefined) throw new Error("no fsync failed");
  const next = lines.slice(at + 1).find((line) => new RegExp(`\\b\\w+\\(${descriptor}<`).test(line));
  if (next === undefined) return "a descriptor whose fsync had failed was not closed";
  return / close\(/.test(next) ? undefined : `after a failed fsync its descriptor was used: ${next}`;
}
