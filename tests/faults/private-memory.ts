import { readdirSync, readFileSync } from "node:fs";

const sampleMilliseconds = 20;
/** Child processes are looked for after each of this many samples, because this reads a file of each process. */
const samplesPerSearch = 25;

/**
 * Samples the private memory (RssAnon) of a process and of its child processes together. Returns a function that ends
 * it and returns the peak in megabytes.
 */
export function watchPrivateMemory(pid: number): () => number {
  let peakKilobytes = 0;
  let children: number[] = [];
  let sampleCount = 0;
  const sample = () => {
    if (sampleCount % samplesPerSearch === 0) children = childrenOf(pid);
    sampleCount += 1;
    const total = [pid, ...children].reduce((sum, process) => sum + privateKilobytes(process), 0);
    peakKilobytes = Math.max(peakKilobytes, total);
  };
  const timer = setInterval(sample, sampleMilliseconds);
  return () => {
    clearInterval(timer);
    sample();
    return peakKilobytes / 1_024;
  };
}

function childrenOf(pid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
    .map(Number);
}

/** The name of a program, in parentheses, may contain spaces. */
function parentOf(process: string): number {
  const stat = readOrEmpty(`/proc/${process}/stat`);
  return Number(stat.slice(stat.lastIndexOf(")")).split(" ")[2]);
}

function privateKilobytes(process: number): number {
  return Number(/^RssAnon:\s*(\d+) kB$/m.exec(readOrEmpty(`/proc/${process}/status`))?.[1] ?? 0);
}

/** The process may have ended. */
function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
