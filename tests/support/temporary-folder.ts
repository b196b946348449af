import { statfsSync } from "node:fs";

/** Linux's file system in memory. Most tests are not about the disk, and would wait for thousands of fsyncs. */
const memory = "/dev/shm";
const neededBytes = 2_000_000_000;

/** Makes the memory the temporary folder of this process and its children, unless TMPDIR is set. */
export function useMemory(): void {
  if (process.env.TMPDIR === undefined && hasRoom(memory)) process.env.TMPDIR = memory;
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > neededBytes;
  } catch {
    return false;
  }
}
