import { closeSync, fsyncSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { folder, onTestEnd } from "../binary/binary.ts";
import { sendRequest } from "../binary/service.ts";
import type { Program, Proof, Scale } from "../support/proof.ts";
import { AccountsBook } from "./accounts-book.ts";
import { swallowedCommit } from "./controls/disk-errors.ts";
import { fullDiskIsBug } from "./controls/full-disk.ts";
import { database } from "./database-kept.ts";

const accounts = "/api/v1/accounts";
const mebibyte = 1_048_576;
/** The free bytes on the disk when the writes begin: enough for some accounts. */
const left = [300_000, 0, 4_096, 40_000, 1_000_000];
const rounds = { short: 2, long: 60 };
const writers = 4;
const readsAtMost = 500;
/** The minimum number of rejected writes, and of reads, in a round. */
const refusedAtLeast = 12;
/** The number of writes of each writer, more than there is space for. */
const writesAtMost = 100;

export const fullDisk: Proof = {
  name: "full-disk",
  claim: "On a full disk reads succeed and writes are 503; when there is space again, everything succeeds",
  missing: whyNoDisk,
  run: tryAll,
  controls: [swallowedCommit, fullDiskIsBug],
};

function whyNoDisk(): string | undefined {
  if (process.platform !== "linux") return "there is no tmpfs";
  const trial = folder();
  const { exitCode } = Bun.spawnSync(mount(trial, mebibyte));
  if (exitCode !== 0) return "a disk of its own can be mounted by root alone";
  Bun.spawnSync(["umount", trial]);
  return undefined;
}

const mount = (path: string, bytes: number) => ["mount", "-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", path];

/** An empty disk of this number of bytes, unmounted after the test. */
function disk(bytes: number): string {
  const path = folder();
  const { exitCode, stderr } = Bun.spawnSync(mount(path, bytes));
  if (exitCode !== 0) throw new Error(`no disk was mounted: ${stderr}`);
  // Cleanup runs in reverse order, so the service has ended by then.
  onTestEnd(async () => {
    if (Bun.spawnSync(["umount", path]).exitCode !== 0) Bun.spawnSync(["umount", "-l", path]);
  });
  return path;
}

async function tryAll(program: Program, scale: Scale, print: (line: string) => void) {
  const path = disk(12 * mebibyte);
  const kept = await database(program, path);
  let server = await kept.serve();
  const book = new AccountsBook(kept.key);
  const tried = { "full disks": 0, "answers 201": 0, "answers 5xx": 0, reads: 0 };
  const ballast = join(path, "ballast");
  for (let round = 0; round < rounds[scale]; round += 1) {
    // A mapped file cannot grow on a full disk either: the rounds have a new WAL or a longer one.
    if (round % 3 === 2) {
      await server.stop();
      server = await kept.serve();
    }
    await book.write(server.url);
    const room = left[round % left.length] ?? 0;
    fill(path, ballast, room);
    const refused = book.refused.size;
    const reading = keepReading(server.url, () => book.refused.size >= refused + refusedAtLeast);
    await Promise.all(Array.from({ length: writers }, () => writeUntilRefused(server.url, refused)));
    tried.reads += await reading;
    if (book.refused.size > refused) tried["full disks"] += 1;
    else book.faults.push(`${writers * writesAtMost} writes were answered 201, with room for ${room} bytes`);
    rmSync(ballast);
    if ((await book.write(server.url)) !== 201)
      book.faults.push("a write fails although there is room again");
    print(`${round + 1} times full, ${book.stored.size} answers 201, ${book.refused.size} answers 5xx`);
  }
  await server.stop("SIGKILL");
  server = await kept.serve();
  await book.readBack(server.url);
  await server.stop();
  return {
    tried: { ...tried, "answers 201": book.stored.size, "answers 5xx": book.refused.size },
    faults: book.faults,
  };

  async function writeUntilRefused(url: string, refused: number): Promise<void> {
    for (let i = 0; i < writesAtMost && book.refused.size < refused + refusedAtLeast; i += 1)
      await book.write(url);
  }

  /** Reads until the end and ten times more: a page, an account, its health, and /readyz. */
  async function keepReading(url: string, isOver: () => boolean): Promise<number> {
    const paths = [
      accounts,
      `${accounts}/1`,
      `${accounts}/1/health`,
      `${accounts}?search=written`,
      "/readyz",
    ];
    let count = 0;
    for (let more = 10; more > 0; count += 1) {
      if (isOver() || count > readsAtMost) more -= 1;
      const read = paths[count % paths.length] ?? accounts;
      const { status, text } = await sendRequest(url, kept.key, "GET", read);
      if (status !== 200) book.faults.push(`amid a full disk ${read} is ${status} ${text}`);
    }
    return count;
  }
}

/** Creates a file that leaves this number of bytes free. */
function fill(path: string, ballast: string, bytes: number): void {
  const descriptor = openSync(ballast, "w");
  const { bavail, bsize } = statfsSync(path);
  let rest = bavail * bsize - bytes;
  try {
    for (const block = new Uint8Array(65_536); rest > 0; rest -= block.length)
      writeSync(descriptor, block, 0, Math.min(rest, block.length));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
