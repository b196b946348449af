import { expect, test } from "bun:test";
import { existsSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { Connection } from "../../db/sqlite/connection.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { SnapshotReader } from "../../db/sqlite/snapshots.ts";
import { createOrganization, listOrganizations } from "../../src/organizations/store.ts";
import { temporaryFile } from "../support/world.ts";
import { clock } from "./files.ts";

test.skipIf(!existsSync("/proc/self/fd"))(
  "close closes the file, and nothing is read from it after",
  async () => {
    const file = temporaryFile("accountd.db");
    const engine = openDatabase(file, { clock, canCreate: true });
    const links = () => readdirSync("/proc/self/fd").flatMap((descriptor) => linkOf(descriptor));
    expect(links()).toContain(file);
    await engine.close();
    expect(links().filter((link) => link.startsWith(file))).toEqual([]);
    const connection = new Connection(file, { busyTimeoutMilliseconds: 0, isQueryOnly: true });
    const reader = new SnapshotReader(connection, clock);
    connection.close();
    expect(() => reader.ping()).toThrow("closed database");
  },
);

/** The target of a descriptor of this process; empty for the descriptor of the listing, which is closed by now. */
function linkOf(descriptor: string): string[] {
  try {
    return [readlinkSync(`/proc/self/fd/${descriptor}`)];
  } catch {
    return [];
  }
}

test("close empties the WAL although a read began in the same turn", async () => {
  const file = temporaryFile("accountd.db");
  const engine = openDatabase(file, { clock, canCreate: true });
  await createOrganization(engine, "First");
  const reading = listOrganizations(engine);
  await engine.close();
  expect(await reading).toHaveLength(1);
  expect(walSize(file)).toBe(0);
});

function walSize(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

test("a second close waits for the first, and then nothing is stored", async () => {
  const engine = openDatabase(temporaryFile("accountd.db"), { clock, canCreate: true });
  const stored = createOrganization(engine, "First");
  await Promise.all([engine.close(), engine.close()]);
  expect((await stored).name).toBe("First");
  await engine.close();
  await expect(createOrganization(engine, "Late")).rejects.toMatchObject({ code: "ENGINE_BUSY" });
});
