import { readFileSync } from "node:fs";

const sampleMilliseconds = 20;

/**
 * Samples the resident memory of a process. Returns a function that ends it and returns the peak in megabytes: of
 * anonymous memory, with the pages of mapped files at the end. Pages of the database do not count: they are page cache,
 * as much as the machine has free.
 */
export function watchMemory(pid: number, database: string): () => number {
  let peakKilobytes = 0;
  const sample = () => {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    peakKilobytes = Math.max(peakKilobytes, kilobytesOf("RssAnon", status));
  };
  const timer = setInterval(sample, sampleMilliseconds);
  return () => {
    clearInterval(timer);
    sample();
    return (peakKilobytes + mappedKilobytes(pid, database)) / 1_024;
  };
}

/** The resident pages of the program and other files, without changed copies, which are anonymous memory. */
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
  return Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, "m").exec(text)?.[1]);
}
