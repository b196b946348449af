import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { run } from "../binary/binary.ts";
import type { Program } from "../support/proof.ts";
import type { Random } from "../support/random.ts";
import { Disk } from "./power-disk.ts";
import { faultsOf } from "./power-image.ts";
import type { Fact } from "./power-load.ts";
import { losses } from "./power-losses.ts";
import { database, type Recording } from "./power-record.ts";
import type { Step } from "./power-trace.ts";

export type Count = (what: string, more?: number) => void;

/** The intervals at which a result is checked by `integrity_check`, and opened by the program. */
const every = { thorough: 10, opened: 40 };

/** Simulates this number of losses of power at points of the record, and checks the results. */
export async function* faultsAfter(
  { folder, steps, told }: Recording,
  images: number,
  random: Random,
  program: Program,
  count: Count,
): AsyncGenerator<string> {
  const disk = new Disk(folder);
  const answered = new Map<string, Fact>();
  const ways = Object.entries(losses);
  let done = 0;
  for (const [index, point] of pointsOf(steps, images, random).entries()) {
    for (const step of steps.slice(done, point)) {
      disk.do(step);
      for (const fact of told(step)) answered.set(`${fact.kind} ${fact.id}`, fact);
    }
    done = point;
    const [way, make] = random.of(ways);
    const files = disk.after(make(random, disk.unsynced()));
    count("losses of power");
    count(way);
    const look = {
      thorough: index % every.thorough === 0,
      program: index % every.opened === 0 ? program : undefined,
    };
    const [fault, ...more] = await faultsIn(files, [...answered.values()], look, count);
    if (fault !== undefined)
      yield `${fault}, and ${more.length} more (${way}, after step ${point} of ${steps.length})`;
    if (index % 50 === 0) await Bun.sleep(0);
  }
}

/** Half are random; the others are where most can be lost: before a sync or after an output. */
function pointsOf(steps: readonly Step[], count: number, random: Random): number[] {
  const eager = steps.flatMap(({ does }, index) => {
    if (does === "sync") return index;
    return does === "tell" ? index + 1 : [];
  });
  const points = Array.from({ length: count }, (_, n) =>
    n % 2 === 0 ? random.below(steps.length + 1) : random.of(eager),
  );
  return points.sort((a, b) => a - b);
}

async function faultsIn(
  files: Map<string, Uint8Array>,
  answered: readonly Fact[],
  { thorough, program }: { thorough: boolean; program: Program | undefined },
  count: Count,
): Promise<string[]> {
  if (!files.has(database)) return answered.length > 0 ? ["lost: the database is not there"] : [];
  const folder = mkdtempSync(join(tmpdir(), "accountd-power-"));
  try {
    const file = join(folder, basename(database));
    for (const [path, bytes] of files)
      if (path.startsWith(database)) writeFileSync(join(folder, basename(path)), bytes);
    // Then the program recovers the database, and the result is checked.
    if (program) {
      count("opened by the program");
      const { code, stdout, stderr } = await run(["check", "--database", file], { program });
      if (code !== 0) return [`corrupt: ${stdout}${stderr}`];
    }
    return faultsOf(file, answered, thorough);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
