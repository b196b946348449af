import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, copyFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fill, smallDisk, whyNoDisk } from "../faults/small-disk.ts";
import { folder, output, run } from "./binary.ts";

setDefaultTimeout(60_000);

test.skipIf(whyNoDisk() !== undefined)(
  "On a full disk every command names the file, the cause and what to do",
  async () => {
    const disk = smallDisk(2_097_152);
    const database = join(disk, "accountd.db");
    await output(["organizations", "create", "Acme", "--database", database]);
    fill(disk, join(disk, "ballast"), 0);
    const message = (file: string) => `The disk of ${file} is full. Free some space and try again.\n`;
    for (const args of [
      ["serve", "--port", "0"],
      ["organizations", "list"],
      ["organizations", "create", "Beta"],
      ["keys", "create", "--organization", "Acme"],
      ["check"],
    ]) {
      const { code, stdout, stderr } = await run([...args, "--database", database]);
      expect({ args, code, stdout, stderr }).toEqual({
        args,
        code: 1,
        stdout: "",
        stderr: message(database),
      });
    }
    const created = join(disk, "new.db");
    expect((await run(["serve", "--port", "0", "--database", created])).stderr).toBe(message(created));
    const { stderr } = await run(["organizations", "list", "--json", "--database", database]);
    expect(JSON.parse(stderr).error.code).toBe("database_failed");
  },
);

test("A write to a file without the permission names the file and what to check", async () => {
  const cwd = folder();
  await output(["organizations", "create", "Acme"], { cwd });
  const copy = join(cwd, "copy.db");
  const client = new Database(join(cwd, "data/accountd.db"));
  client.query("VACUUM INTO ?").run(copy);
  client.close();
  chmodSync(copy, 0o444);
  chmodSync(cwd, 0o755);
  const { code, stderr } = await run(["organizations", "create", "Beta", "--database", copy], {
    cwd,
    unprivileged: true,
  });
  expect([code, stderr]).toEqual([
    1,
    `${copy} is read-only. Check the permissions of the file and its folder, and the mount.\n`,
  ]);
});

test("A database restored from .dump is refused with the statement that completes it", async () => {
  const cwd = folder();
  await output(["organizations", "create", "Acme"], { cwd });
  const restored = join(cwd, "restored.db");
  copyFileSync(join(cwd, "data/accountd.db"), restored);
  const size = statSync(restored).size;
  // The output of .dump has neither.
  const setPragmas = (id: number) => {
    const client = new Database(restored);
    client.run(`PRAGMA application_id = ${id}`);
    client.close();
  };
  setPragmas(0);
  for (const args of [["serve", "--port", "0"], ["check"], ["migrate"]]) {
    const { code, stderr } = await run([...args, "--database", restored], { cwd });
    expect([code, stderr]).toEqual([
      1,
      `${restored} has the tables of accountd, but not its application_id: .dump omits it. Set it: sqlite3 ${restored} 'PRAGMA application_id = 1633903476'\n`,
    ]);
  }
  setPragmas(1_633_903_476);
  expect(await output(["check", "--database", restored], { cwd })).toBe(`${restored} is sound.`);
  expect(statSync(restored).size).toBe(size);
});
