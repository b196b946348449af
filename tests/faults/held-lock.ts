import { join } from "node:path";
import { sendRequest } from "../binary/service.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import type { Program, Proof, Scale } from "../support/proof.ts";
import { quantileOf } from "../support/quantile.ts";
import { AccountsBook } from "./accounts-book.ts";
import { heldLockIsBug, lockStopsEventLoop } from "./controls/held-lock.ts";
import { database } from "./database-kept.ts";

const accounts = "/api/v1/accounts";
/** The number of times that another process takes the lock, and the milliseconds of each. */
const holds: Record<Scale, readonly number[]> = {
  short: [2_000, 1_000],
  long: [...Array<number>(15).fill(2_000), 7_000, 2_000, 7_000, 2_000],
};
const betweenHolds = 200;
const writers = 8;
const readers = 4;
/**
 * Milliseconds in which all reads but one in a hundred are answered; in the short form more, for the machine may
 * have other work, and what is broken takes as long as the lock is held.
 */
const readsWithin: Record<Scale, number> = { short: 1_000, long: 300 };
/** The milliseconds that a write waits for the lock before it is rejected, and the tolerance. */
const waits = 5_000;
const leeway = 3_000;

export const heldLock: Proof = {
  name: "held-lock",
  runsAlone: true,
  claim: "While another process has the write lock, reads are fast, and writes wait or are 503",
  run: tryAll,
  controls: [lockStopsEventLoop, heldLockIsBug],
};

async function tryAll(program: Program, scale: Scale, print: (line: string) => void) {
  const kept = await database(program);
  let server = await kept.serve();
  const book = new AccountsBook(kept.key, { answeredWithin: waits + leeway });
  await book.write(server.url);
  const times: number[] = [];
  for (const milliseconds of holds[scale]) {
    let isOver = false;
    const busy = Array.from({ length: writers }, async () => {
      while (!isOver) await book.write(server.url);
    });
    const { released } = await hold(kept.file, milliseconds);
    const reading = Array.from({ length: readers }, async () => {
      while (!isOver) times.push(await timeOfRead(server.url, kept.key));
    });
    await released;
    isOver = true;
    await Promise.all([...busy, ...reading]);
    if ((await book.write(server.url)) !== 201) book.faults.push("a write fails although the lock is free");
    print(`held for ${milliseconds} ms; ${times.length} reads, ${book.refused.size} writes refused`);
    await Bun.sleep(betweenHolds);
  }
  await server.stop("SIGKILL");
  server = await kept.serve();
  await book.readBack(server.url);
  await server.stop();
  const slowest = quantileOf(times, 0.99);
  if (slowest > readsWithin[scale])
    book.faults.push(`of the reads one in a hundred took ${Math.round(slowest)} ms`);
  const tried = {
    holds: holds[scale].length,
    reads: times.length,
    "answers 201": book.stored.size,
    "of these, writes that waited": [...book.stored.values()].filter((took) => took > 500).length,
    ...(scale === "long" && { "writes refused": book.refused.size }),
  };
  return { tried, faults: book.faults };
}

/** Resolves when the other process has the lock, with a promise that resolves when the lock is released. */
async function hold(file: string, milliseconds: number): Promise<{ released: Promise<void> }> {
  const words = ["--no-env-file", join(import.meta.dir, "lock-holder.ts"), file, String(milliseconds)];
  const other = Bun.spawn([process.execPath, ...words], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  closeAfterTest(() => {
    other.kill("SIGKILL");
    return other.exited;
  });
  const { value } = await other.stdout.getReader().read();
  if (value === undefined) throw new Error("the other process did not get the lock");
  const released = other.exited.then((code) => {
    if (code !== 0) throw new Error(`the other process ended with ${code}`);
  });
  return { released };
}

async function timeOfRead(url: string, key: string): Promise<number> {
  const start = performance.now();
  const { status, text } = await sendRequest(url, key, "GET", `${accounts}?sortBy=createdAt&sortOrder=desc`);
  if (status !== 200) throw new Error(`a read is ${status}: ${text}`);
  return performance.now() - start;
}
