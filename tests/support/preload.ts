import { afterEach } from "bun:test";
import { statfsSync } from "node:fs";
import { closeAll } from "./world.ts";

/** Linux's file system in memory. These tests are not about the disk, and would wait for thousands of fsyncs. */
const memory = "/dev/shm";
const neededBytes = 2_000_000_000;

if (process.env.TMPDIR === undefined && hasRoom(memory)) process.env.TMPDIR = memory;

// Loaded before the tests: a hook in an imported module belongs only to the first test file that imports it.
afterEach(closeAll);

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > neededBytes;
  } catch {
    return false;
  }
}
