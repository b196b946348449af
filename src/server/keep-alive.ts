import { readFileSync } from "node:fs";

const checkIntervalMilliseconds = 1_000;
/** The connections that are kept for the whole time, together with the other open files. */
const maxOpenFiles = 4_096;
/** How long an idle connection is kept while more are open. */
const shortSeconds = 10;

type KeepAlive = {
  /** How long a connection may be idle from now on. */
  seconds: () => number;
  stop: () => void;
};

/**
 * Keeps idle connections for `seconds`, but for 10 s while the process has more open files than 4,096 or half of its limit.
 * They are counted once a second; where the system does not list them, there is no bound.
 */
export function createKeepAlive(seconds: number, maxFiles?: number): KeepAlive {
  let isCrowded = false;
  const timer = setInterval(async () => {
    // The module would slow down every start.
    const { readdir } = await import("node:fs/promises");
    const files = await readdir("/proc/self/fd").catch(() => []);
    maxFiles ??= Math.min(maxOpenFiles, limitOfOpenFiles() / 2);
    isCrowded = files.length > maxFiles;
  }, checkIntervalMilliseconds);
  timer.unref();
  return {
    seconds: () => (isCrowded ? Math.min(seconds, shortSeconds) : seconds),
    stop: () => clearInterval(timer),
  };
}

function limitOfOpenFiles(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return Number(limit ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
