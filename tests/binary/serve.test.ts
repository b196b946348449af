import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { migrations } from "../../db/sqlite/migrations/list.ts";
import { folder, output, type Result, run, start } from "./binary.ts";
import { isOneLine, logOf, service } from "./service.ts";

setDefaultTimeout(60_000);

const serve = ["serve", "--port", "0"];

function expectFailure({ code, stdout, stderr }: Result): void {
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(isOneLine(stderr), stderr).toBe(true);
}

test("serve creates a missing database, chooses a port for 0, and prints it", async () => {
  const cwd = folder();
  const { url, stdout } = await start(serve, { cwd });
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
  expect(stdout()).toBe(`accountd ${await output(["version"])} serves ${url}\n`);
  expect((await fetch(`${url}/livez`)).status).toBe(200);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  expect(existsSync(join(cwd, "data/accountd.db"))).toBe(true);
  expect(await output(["organizations", "list", "--json"], { cwd })).toBe("[]");
});

test.each(["serve", "migrate"])(
  "%s upgrades a database of the first version, and prints the path of the copy",
  async (name) => {
    const cwd = folder();
    mkdirSync(join(cwd, "data"));
    const file = join(cwd, "data/accountd.db");
    await openDatabase(file, { clock: () => 1, canCreate: true, migrations: migrations.slice(0, 1) }).close();
    fill(file, "INSERT INTO organizations (name, folded_name, created_at) VALUES ('Acme', 'acme', 1)");
    const copy = "data/accountd.db.before-2";
    if (name === "migrate") expect(await output(["migrate"], { cwd })).toContain(copy);
    else {
      const server = await start(serve, { cwd });
      const lines = logOf(server);
      const names = migrations.slice(1).map((migration) => migration.name);
      expect(lines[0]).toMatchObject({
        event: "migrated",
        migrations: names,
        copy: expect.stringContaining(copy),
      });
    }
    expect(existsSync(join(cwd, copy))).toBe(true);
  },
);

test("A port in use leaves no file of a database that does not exist", async () => {
  const { server } = await service();
  const cwd = folder();
  for (const command of ["serve", "quickstart"]) {
    const result = await run([command, "--port", new URL(server.url).port, "--database", "new.db"], { cwd });
    expectFailure(result);
    expect([command, readdirSync(cwd)]).toEqual([command, []]);
  }
});

test("A folder that cannot be created or written is one line of error with the path of the file", async () => {
  const cwd = folder();
  writeFileSync(join(cwd, "file"), "x");
  mkdirSync(join(cwd, "closed"));
  chmodSync(cwd, 0o755);
  chmodSync(join(cwd, "closed"), 0o555);
  for (const database of ["file/x.db", "closed/x.db", "closed/deeper/x.db"]) {
    const result = await run([...serve, "--database", database], { cwd, unprivileged: true });
    expectFailure(result);
    expect(result.stderr).toContain(database);
  }
  expect(readdirSync(join(cwd, "closed"))).toEqual([]);
});

function fill(file: string, sql: string): void {
  const database = new Database(file, { create: true, readwrite: true });
  database.run(sql);
  database.close();
}
