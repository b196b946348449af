import { existsSync } from "node:fs";
import { join } from "node:path";
import { folder } from "../binary/binary.ts";
import type { PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import {
  countAccounts,
  damage,
  faultsOfBackup,
  removeReplaced,
  runCommand,
  startWriters,
} from "./backup-trial.ts";
import { namedTooEarly, replacedInTwoSteps, unchecked, withoutWal } from "./controls/backup.ts";
import { restartable } from "./restarts.ts";
import { smallDisk, whyNoDisk } from "./small-disk.ts";

const rounds = { short: 15, long: 40 };
const writers = 4;
const firstMilliseconds = 500;

export const backup: Proof = {
  name: "backup",
  claim:
    "A backup under writes and SIGKILL is sound and has every acknowledged change, or has no name; a damaged one is not restored, and an interrupted restore leaves the old database or the new one",
  run,
  controls: [withoutWal, namedTooEarly, unchecked, replacedInTwoSteps],
};

async function run(program: Program, scale: Scale, print: PrintLine) {
  const database = await restartable(program);
  const { database: file } = database;
  const backups = folder();
  const tried = {
    "acknowledged writes": 0,
    backups: 0,
    "killed backups": 0,
    "killed servers": 0,
    "killed restores": 0,
    damaged: 0,
  };
  const faults: string[] = [];
  const pathOf = (i: number) => join(backups, `${i}.db`);
  let milliseconds = firstMilliseconds;
  const anyTime = () => Math.random() * milliseconds;

  async function backUp(i: number): Promise<void> {
    const names = [...acknowledged];
    const args = ["backup", pathOf(i), "--database", file];
    const start = performance.now();
    if (i % 3 === 1) {
      const { wasKilled } = await runCommand(program, args, anyTime());
      if (wasKilled) tried["killed backups"] += 1;
      if (existsSync(pathOf(i))) return check(i, names);
    }
    const running = runCommand(program, args);
    if (i % 3 === 2) {
      await Bun.sleep(anyTime());
      await database.kill();
      await database.start();
      tried["killed servers"] += 1;
    }
    const { code, stderr } = await running;
    if (i % 3 === 0) milliseconds = performance.now() - start;
    if (code !== 0) faults.push(`a backup failed: ${stderr}`);
    else check(i, names);
  }

  function check(i: number, names: readonly string[]): void {
    tried.backups += 1;
    faults.push(...faultsOfBackup(pathOf(i), names));
  }

  await database.start();
  const { acknowledged, stop } = startWriters(database, writers);
  try {
    for (let i = 0; i < rounds[scale] && faults.length === 0; i += 1) {
      await backUp(i);
      print(`${i + 1} backups, ${acknowledged.size} changes`);
    }
  } finally {
    await stop();
  }
  tried["acknowledged writes"] = acknowledged.size;
  await database.running().stop();
  const last = pathOf(rounds[scale] - 1);
  const restore = (path: string, killAfter?: number) =>
    runCommand(program, ["restore", path, "--force", "--database", file], killAfter);
  if (faults.length > 0) return { tried, faults };

  await restore(pathOf(0));
  const counts = [countAccounts(pathOf(0)), countAccounts(last)] as const;
  for (let i = 0; i < rounds[scale] && faults.length === 0; i += 1) {
    damage(last, join(backups, "damaged.db"));
    const damaged = await restore(join(backups, "damaged.db"));
    tried.damaged += 1;
    if (damaged.code !== 1 || countAccounts(file) !== counts[0]) faults.push("a damaged backup was restored");
    const start = performance.now();
    const { wasKilled } = await restore(last, i === 0 ? undefined : anyTime());
    if (i === 0) milliseconds = performance.now() - start;
    if (wasKilled) tried["killed restores"] += 1;
    const found = countAccounts(file);
    if (!counts.includes(found)) faults.push(`a killed restore left ${found} accounts`);
    const { code, stderr } = await restore(pathOf(0));
    if (code !== 0 || countAccounts(file) !== counts[0]) faults.push(`a repeated restore failed: ${stderr}`);
    removeReplaced(file);
    print(`${i + 1} restores`);
  }
  if (whyNoDisk() === undefined) faults.push(...(await backUpToFullDisk(program, file)));
  return { tried, faults };
}

async function backUpToFullDisk(program: Program, file: string): Promise<string[]> {
  const target = join(smallDisk(131_072), "full.db");
  const { code, stderr } = await runCommand(program, ["backup", target, "--database", file]);
  return code === 1 && /is full\. Free some space/.test(stderr) && !existsSync(target)
    ? []
    : [`a backup to a full disk ended with ${code}: ${stderr}`];
}
