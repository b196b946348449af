import { closeSync, copyFileSync, fsyncSync, openSync } from "node:fs";
import { join } from "node:path";
import { folder, output, type Running, start } from "../binary/binary.ts";
import type { Program } from "../support/proof.ts";

/** Copies a database into a folder of its own, where it can be served and checked repeatedly. */
export async function serveCopy(program: Program, original: string) {
  const cwd = folder();
  const file = join(cwd, "accountd.db");
  copyFileSync(original, file);
  // Else the first checkpoint of the service would write the whole copy to the disk.
  const descriptor = openSync(file, "r+");
  fsyncSync(descriptor);
  closeSync(descriptor);
  const settings = { cwd, env: { DATABASE_URL: file }, program };
  return {
    file,
    serve: (): Promise<Running> => start(["serve", "--port", "0"], settings),
    /** The faults that accountd check finds. */
    check: (): Promise<string[]> =>
      output(["check"], settings).then(
        () => [],
        (error: Error) => [error.message],
      ),
  };
}

const pollMilliseconds = 20;

/** Polls until `progress` is undefined. Resolves with false when it stays the same for this many milliseconds. */
export async function untilDone(patience: number, progress: () => unknown): Promise<boolean> {
  let last: unknown;
  for (let deadline = 0; ; await Bun.sleep(pollMilliseconds)) {
    const now = await progress();
    if (now === undefined) return true;
    if (now !== last) deadline = performance.now() + patience;
    if (performance.now() > deadline) return false;
    last = now;
  }
}

/** The errors in the server's log. */
export function logged(server: Running): string[] {
  return server
    .stderr()
    .split("\n")
    .filter((line) => line.includes('"level":"error"'))
    .map((line) => `the server logs ${line}`);
}
