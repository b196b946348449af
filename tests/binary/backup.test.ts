import { expect, setDefaultTimeout, test } from "bun:test";
import { closeSync, existsSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fill, mebibyte, smallDisk, whyNoDisk } from "../faults/small-disk.ts";
import { folder, output, run } from "./binary.ts";
import { binary } from "./build.ts";
import { addFreePages } from "./free-pages.ts";
import { service } from "./service.ts";

setDefaultTimeout(60_000);

const accounts = "/api/v1/accounts";
const sha256 = (path: string) => new Bun.CryptoHasher("sha256").update(readFileSync(path)).digest("hex");

test("backup copies the database of a running server with every change before it, and its SHA-256", async () => {
  const { cwd, send } = await service();
  for (const name of ["Beta", "Gamma"]) expect((await send("POST", accounts, { name })).status).toBe(201);
  const printed = JSON.parse(await output(["backup", "backup.db", "--json"], { cwd }));
  const backup = join(cwd, "backup.db");
  const hash = sha256(backup);
  const { updatedAt } = (await send("GET", `${accounts}/2`)).body.data;
  expect(printed).toEqual({
    database: "data/accountd.db",
    backup: "backup.db",
    bytes: statSync(backup).size,
    sha256: hash,
    organizations: 1,
    accounts: 2,
    keys: 1,
    changes: 2,
    newestChangeAt: updatedAt,
  });
  expect(readFileSync(`${backup}.sha256`, "utf8")).toBe(`${hash}  backup.db\n`);
  // It has the data of the database, so only the same user may read it.
  expect(statSync(backup).mode & 0o777).toBe(0o600);
  expect(readdirSync(cwd).sort()).toEqual(["backup.db", "backup.db.sha256", "data"]);
  const exported = ["export", "--organization", "Acme"];
  expect(await output([...exported, "--database", "backup.db"], { cwd })).toBe(
    await output(exported, { cwd }),
  );
  expect((await send("POST", accounts, { name: "Delta" })).status).toBe(201);
});

test("backup - writes to standard output, and --compress zstd compresses", async () => {
  const { cwd } = await service();
  const { code, stdout, stderr } = await run(["backup", "-", "--json"], { cwd });
  expect({ code, start: stdout.slice(0, 15) }).toEqual({ code: 0, start: "SQLite format 3" });
  const { bytes, organizations } = JSON.parse(stderr);
  expect({ bytes, organizations }).toEqual({
    bytes: statSync(join(cwd, "data/accountd.db")).size,
    organizations: 1,
  });
  await output(["backup", "b.zst", "--compress", "zstd"], { cwd });
  await output(["backup", "b.db"], { cwd });
  const decompressed = await Bun.zstdDecompress(readFileSync(join(cwd, "b.zst")));
  expect(Buffer.compare(decompressed, readFileSync(join(cwd, "b.db")))).toBe(0);
});

test.each(["backup.unfinished", "backup"])(
  "a signal ends backup -, also during the copy, and removes its temporary files: %s",
  async (file) => {
    const { cwd, database, server } = await service();
    await server.stop();
    addFreePages(database, 40);
    const pipe = join(cwd, "pipe");
    Bun.spawnSync(["mkfifo", pipe]);
    // Full, because nobody reads it.
    const stdout = openSync(pipe, "r+");
    const temporary = folder();
    const env = { PATH: Bun.env.PATH ?? "", TMPDIR: temporary };
    const child = Bun.spawn([await binary(), "backup", "-"], { cwd, env, stdout, stderr: "ignore" });
    const isWritten = () =>
      readdirSync(temporary, { recursive: true }).some((path) => basename(String(path)) === file);
    while (!isWritten()) await Bun.sleep(1);
    child.kill("SIGTERM");
    await child.exited;
    closeSync(stdout);
    expect([child.signalCode, readdirSync(temporary)]).toEqual(["SIGTERM", []]);
  },
);

test("backup refuses a file that exists, a folder that does not, and a database that does not", async () => {
  const { cwd } = await service();
  const taken = join(cwd, "taken");
  writeFileSync(taken, "precious");
  for (const [args, message] of [
    [["backup", "taken"], "taken exists. Name another file.\n"],
    [
      ["backup", "none/b.db"],
      "none/b.db cannot be opened for writing. Check the permissions of the file and its folder.\n",
    ],
    [
      ["backup", "b.db", "--database", "none.db"],
      "There is no database at none.db. Name another with --database or DATABASE_URL.\n",
    ],
  ] as const) {
    const { code, stderr } = await run([...args], { cwd });
    expect({ code, stderr }).toEqual({ code: 1, stderr: message });
  }
  expect(readFileSync(taken, "utf8")).toBe("precious");
  expect(readdirSync(cwd).sort()).toEqual(["data", "taken"]);
  const postgres = ["backup", "b.db", "--database", "postgres://accountd@127.0.0.1:1/x", "--json"];
  expect(JSON.parse((await run(postgres, { cwd })).stderr).error.code).toBe("unsupported_operation");
});

test("a backup of a damaged database fails, and its name says so", async () => {
  const { cwd, database, server } = await service();
  await server.stop();
  const bytes = readFileSync(database);
  // A page of the schema's indexes.
  bytes.fill(0xab, 4_096 * 20, 4_096 * 21);
  writeFileSync(database, bytes);
  const { code, stderr } = await run(["backup", "b.db"], { cwd });
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /\nThe copy has faults \(\d+\), such as: .+ It is kept as b\.db\.faulty\. Run accountd check\.\n$/,
  );
  expect(existsSync(join(cwd, "b.db"))).toBe(false);
  expect(readdirSync(cwd).sort()).toEqual(["b.db.faulty", "data"]);
  const printed = await run(["backup", "-"], { cwd });
  expect([printed.code, printed.stdout]).toEqual([1, ""]);
  expect(printed.stderr).toEndWith("\nThe copy in TMPDIR is removed. Run accountd backup FILE to keep it.\n");
});

test("backup of a database that no server uses leaves no WAL", async () => {
  const cwd = folder();
  await output(["organizations", "create", "Acme"], { cwd });
  await output(["backup", "b.db"], { cwd });
  expect(readdirSync(join(cwd, "data")).sort()).toEqual(["accountd.db", "accountd.db.lock"]);
  expect(await output(["check", "--database", "b.db"], { cwd })).toBe("b.db is sound.");
});

test.skipIf(whyNoDisk() !== undefined)(
  "a backup for which the disk has no space is refused, so that the server can write",
  async () => {
    const disk = smallDisk(2 * mebibyte);
    const database = join(disk, "accountd.db");
    await output(["organizations", "create", "Acme", "--database", database]);
    fill(disk, join(disk, "ballast"), 300_000);
    const names = readdirSync(disk).sort();
    const backup = join(disk, "b.db");
    const { code, stderr } = await run(["backup", backup, "--database", database]);
    const needed = Math.ceil(1.1 * statSync(database).size);
    expect([code, stderr]).toEqual([
      1,
      `The disk of ${backup} is full. Free some space: the backup needs ${needed} bytes.\n`,
    ]);
    expect(readdirSync(disk).sort()).toEqual(names);
  },
);

test("two backups of one name at the same time are one sound backup", async () => {
  const { cwd } = await service();
  const results = await Promise.all([1, 2, 3].map(() => run(["backup", "b.db"], { cwd })));
  expect(results.map(({ code }) => code).sort()).toEqual([0, 1, 1]);
  for (const { stderr } of results.filter(({ code }) => code === 1))
    expect(stderr).toMatch(
      /^b\.db exists\. Name another file\.\n$|^b\.db\.unfinished is in use by another accountd\./,
    );
  expect(readFileSync(join(cwd, "b.db.sha256"), "utf8")).toBe(`${sha256(join(cwd, "b.db"))}  b.db\n`);
  expect(await output(["check", "--database", "b.db"], { cwd })).toBe("b.db is sound.");
  expect(readdirSync(cwd).sort()).toEqual(["b.db", "b.db.sha256", "data"]);
});
