import { fullGC } from "bun:jsc";
import { attemptTo } from "./receiver.ts";

// Prints how many MB the memory of this process grows by attempts: `bun attempt-memory.ts LARGE-URL SILENT-URL`.
const [largeUrl = "", silentUrl = ""] = process.argv.slice(2);
const { signal } = new AbortController();

async function megabytesAfter(roundCount: number): Promise<number> {
  for (let i = 0; i < roundCount; i += 1)
    await Promise.all([
      ...[1, 2, 3, 4].map(() => attemptTo(largeUrl, { signal })),
      attemptTo(silentUrl, { signal, maxMilliseconds: 5 }),
    ]);
  await Bun.sleep(20);
  fullGC();
  return process.memoryUsage.rss() / 1_000_000;
}

const before = await megabytesAfter(100);
console.log((await megabytesAfter(500)) - before);
process.exit();
