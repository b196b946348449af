import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import type { Engine } from "../../db/engine.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { temporaryFile } from "../support/world.ts";
import { clock } from "./files.ts";
import { marker, RandomRows, randomOf } from "./random-rows.ts";

const operationCount = 4_000;
const operationsBetweenParts = 600;
/** A part that is blocked by a reader counts too. */
const maxWritesBetweenParts = 20;

function countMarkers(file: string): number {
  const paths = [file, `${file}-wal`].filter(existsSync);
  return paths.reduce((sum, path) => sum + readFileSync(path, "latin1").split(marker).length - 1, 0);
}

function expectSound(client: Database, { expected }: RandomRows): void {
  expect(client.query("PRAGMA integrity_check").values()).toEqual([["ok"]]);
  const rows = [...expected].map(([id, row]) => [id, ...row]).sort(([a], [b]) => Number(a) - Number(b));
  expect(client.query("SELECT id, key, text FROM rows ORDER BY id").values()).toEqual(rows);
  expect(client.query("SELECT id, key, text FROM keyed ORDER BY id").values()).toEqual(rows);
}

type Setting = {
  seed: number;
  hasWritesBetweenParts: boolean;
  hasReader: boolean;
  isAutoVacuum: boolean;
  /** Rows are deleted between two parts, and a second erasure joins the first. */
  hasSecondErasure: boolean;
};

/** Calls `betweenParts` after each part. When it returns true, another erasure continues. */
async function eraseAll(engine: Engine, betweenParts: () => boolean): Promise<void> {
  let erasePart = engine.eraseDeleted();
  while (await erasePart()) if (betweenParts()) erasePart = engine.eraseDeleted();
}

/** Another process checks the whole file, again and again, until its input ends. `end` resolves with its output. */
function checkInOtherProcess(file: string) {
  const program = `
    const client = new (require("bun:sqlite").Database)(${JSON.stringify(file)}, { readonly: true });
    let isOver = false;
    process.stdin.on("end", () => { isOver = true; }).resume();
    while (!isOver) {
      console.log(client.query("PRAGMA integrity_check").values().join());
      await Bun.sleep(30);
    }`;
  const child = Bun.spawn([process.execPath, "-e", program], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  return {
    end: async () => {
      await child.stdin.end();
      return new Response(child.stdout).text();
    },
  };
}

async function eraseRandomRows(setting: Setting): Promise<void> {
  const file = temporaryFile("accountd.db");
  await openDatabase(file, { clock, canCreate: true }).close();
  const client = new Database(file, { readwrite: true, create: false });
  // An operator may set it: some pages then map pages to their parents.
  if (setting.isAutoVacuum) client.run("PRAGMA auto_vacuum = FULL; VACUUM");
  const engine = openDatabase(file, { clock });
  client.run("PRAGMA secure_delete = ON");
  client.run("PRAGMA synchronous = OFF");
  const rows = new RandomRows(client, randomOf(setting.seed));
  rows.change(operationCount, 0.5);
  client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  rows.deleteMarked();
  const reader = setting.hasReader ? checkInOtherProcess(file) : undefined;
  let writes = setting.hasWritesBetweenParts ? maxWritesBetweenParts : 0;
  let partsUntilSecond = setting.hasSecondErasure ? setting.seed % 4 : -1;
  await eraseAll(engine, () => {
    if (writes > 0) rows.change(operationsBetweenParts, 0);
    writes -= 1;
    const isSecond = partsUntilSecond === 0;
    partsUntilSecond -= 1;
    if (isSecond) rows.change(operationsBetweenParts, 0.5);
    if (isSecond) rows.deleteMarked();
    return isSecond;
  });
  expect(countMarkers(file)).toBe(0);
  expectSound(client, rows);
  if (reader) expect(await reader.end()).toMatch(/^(?:ok\n)+$/);
  client.close();
  await engine.close();
}

const setting: fc.Arbitrary<Setting> = fc.record({
  seed: fc.nat(),
  hasWritesBetweenParts: fc.boolean(),
  hasReader: fc.constant(false),
  isAutoVacuum: fc.boolean(),
  hasSecondErasure: fc.boolean(),
});
/** With these seeds, a write between two parts moves an unerased page to the place of an erased one. */
const movingSeeds = [1_814_396_397, 70_071_152];

test("after random inserts, updates and deletes, rows are unchanged and deleted texts are erased", async () => {
  const examples = movingSeeds.map((seed): [Setting] => [
    { seed, hasWritesBetweenParts: true, hasReader: false, isAutoVacuum: false, hasSecondErasure: true },
  ]);
  const property = fc.asyncProperty(setting, eraseRandomRows);
  await fc.assert(property, { numRuns: 8, endOnFailure: true, examples });
});

test("another process that reads during the erasure finds a sound file", async () => {
  const setting = { seed: 1, hasWritesBetweenParts: true, hasReader: true, isAutoVacuum: false };
  await eraseRandomRows({ ...setting, hasSecondErasure: false });
});
