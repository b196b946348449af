import { closeSync, fsyncSync, openSync, statfsSync, writeSync } from "node:fs";
import { errorCode } from "../../db/errors.ts";
import { folder } from "../binary/binary.ts";
import { closeAfterTest } from "../support/cleanup.ts";

export const mebibyte = 1_048_576;

/** The reason why no small disk can be mounted on this machine, or undefined. */
export function whyNoDisk(): string | undefined {
  if (process.platform !== "linux") return "there is no tmpfs";
  const trial = folder();
  const { exitCode } = Bun.spawnSync(mount(trial, mebibyte));
  if (exitCode !== 0) return "a disk of its own can be mounted by root alone";
  Bun.spawnSync(["umount", trial]);
  return undefined;
}

const mount = (path: string, bytes: number) => ["mount", "-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", path];

/** An empty disk of this number of bytes, unmounted after the test. */
export function smallDisk(bytes: number): string {
  const path = folder();
  const { exitCode, stderr } = Bun.spawnSync(mount(path, bytes));
  if (exitCode !== 0) throw new Error(`no disk was mounted: ${stderr}`);
  // Cleanup runs in reverse order, so the service has ended by then.
  closeAfterTest(async () => {
    if (Bun.spawnSync(["umount", path]).exitCode !== 0) Bun.spawnSync(["umount", "-l", path]);
  });
  return path;
}

/** Creates a file that leaves this number of bytes free. */
export function fill(path: string, ballast: string, bytes: number): void {
  const descriptor = openSync(ballast, "w");
  const { bavail, bsize } = statfsSync(path);
  let rest = bavail * bsize - bytes;
  try {
    for (const block = new Uint8Array(65_536); rest > 0; rest -= block.length)
      writeSync(descriptor, block, 0, Math.min(rest, block.length));
    fsyncSync(descriptor);
  } catch (error) {
    // Another process has written meanwhile.
    if (bytes > 0 || errorCode(error) !== "ENOSPC") throw error;
  } finally {
    closeSync(descriptor);
  }
}
