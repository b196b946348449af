import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { buildConsoleOnce } from "../support/console-files.ts";

const root = join(import.meta.dir, "../..");
/** The environment variable with the path of a binary that is already built. */
export const builtBinary = "ACCOUNTD_TEST_BINARY";

let built: Promise<string> | undefined;

/** The compiled program, built once in a run of the tests, as package.json's `compile` does. */
export function binary(): Promise<string> {
  const existing = Bun.env[builtBinary];
  built ??= existing ? Promise.resolve(existing) : buildBinary();
  return built;
}

/** Builds the program in a new folder that is removed after this process exits. Throws when the build fails. */
export async function buildBinary(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "accountd-binary-"));
  chmodSync(folder, 0o755);
  removeAfterTheRun(folder);
  const target = join(folder, "accountd");
  buildConsoleOnce();
  // The part before `&&` builds the console.
  const line = manifest.scripts.compile.split("&&").at(-1)?.trim().split(/\s+/) ?? [];
  const command = line.map((word, i) => (line[i - 1] === "--outfile" ? target : word));
  if (command[0] !== "bun" || !command.includes(target)) throw new Error(`no build command: ${line}`);
  const result = Bun.spawnSync([process.execPath, ...command.slice(1)], { cwd: root });
  if (result.exitCode !== 0) throw new Error(`the build failed: ${result.stderr}`);
  return target;
}

/** The references keep the pipes open. */
const removers: Bun.Subprocess<"pipe", "ignore", "ignore">[] = [];

/**
 * Removes the folder after this process exits, also after SIGKILL: a shell waits until the pipe is closed. Bun has no
 * hook that runs after the last test file.
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
