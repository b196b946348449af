import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** Bun leaves the folder, without an error, if a file in it appears or vanishes meanwhile. */
const maxRemovals = 10;

/**
 * Calls `work` with a new folder that only this user can read. It is removed at the end, also after a failure, and after a signal
 * while the event loop runs. Throws what `work` throws, and errors of the file system.
 */
export async function withTemporaryFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "accountd-"));
  function remove(): void {
    for (let count = 0; count < maxRemovals && existsSync(folder); count += 1)
      rmSync(folder, { recursive: true, force: true });
    for (const name of signals) process.off(name, stop);
  }
  function stop(signal: NodeJS.Signals): void {
    remove();
    // Without a handler, the signal ends the process.
    process.kill(process.pid, signal);
  }
  for (const name of signals) process.on(name, stop);
  try {
    await work(folder);
  } finally {
    remove();
  }
}
