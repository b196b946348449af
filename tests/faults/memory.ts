import { readdirSync, readFileSync } from "node:fs";

const sampleMilliseconds = 20;
/** Child processes are looked for after each of this many samples, because this reads a file of each process. */
const samplesPerSearch = 25;

/**
 * Samples the private memory (RssAnon) of a process and of its child processes together. Returns a function that ends
 * it and returns the peak in megabytes; with the path of a database, also the pages of other mapped files at the end:
 * pages of the database are page cache, as much as the machine has free.
 */
export function watchMemory(pid: number, database?: string): () => number {
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
    return (peakKilobytes + (database === undefined ? 0 : mappedKilobytes(pid, database))) / 1_024;
  };
}

/** The private memory of a process, without mapped pages of files. */
export function privateKilobytes(process: number): number {
  return kilobytesOf("RssAnon", readOrEmpty(`/proc/${process}/status`));
}

/** The resident pages of the program and other files, without changed copies, which are private memory. */
function mappedKilobytes(pid: number, database: string): number {
  let total = 0;
  for (const mapping of readFileSync(`/proc/${pid}/smaps`, "utf8").split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m)) {
    const [, path = ""] = /^(?:\S+ +){5}(\/.*)$/m.exec(mapping) ?? [];
    if (path === "" || path.startsWith(database)) continue;
    total += kilobytesOf("Rss", mapping) - kilobytesOf("Anonymous", mapping);
  }
  return total;
}

function kilobytesOf(name: string, text: string): number {
  return Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, "m").exec(text)?.[1] ?? 0);
}

export function childrenOf(pid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
    .map(Number);
}

/** The name of a program, in parentheses, may contain spaces. */
function parentOf(process: string): number {
  const stat = readOrEmpty(`/proc/${process}/stat`);
  return Number(stat.slice(stat.lastIndexOf(")")).split(" ")[2]);
}

/** The process may have ended. */
function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
