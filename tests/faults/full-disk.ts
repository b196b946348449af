import { rmSync } from "node:fs";
import { join } from "node:path";
import { sendRequest } from "../binary/service.ts";
import type { Program, Proof, Scale } from "../support/proof.ts";
import { AccountsBook } from "./accounts-book.ts";
import { swallowedCommit } from "./controls/disk-errors.ts";
import { fullDiskIsBug } from "./controls/full-disk.ts";
import { database } from "./database-kept.ts";
import { fill, mebibyte, smallDisk, whyNoDisk } from "./small-disk.ts";

const accounts = "/api/v1/accounts";
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

async function tryAll(program: Program, scale: Scale, print: (line: string) => void) {
  const path = smallDisk(12 * mebibyte);
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
