import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { linkSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder, output, run, start } from "./binary.ts";
import { accounts, backedUp, namesIn } from "./restored.ts";
import { sendRequest } from "./service.ts";

setDefaultTimeout(60_000);

const replacedName = /^accountd\.db\.replaced-\d{8}T\d{6}Z$/;

test("restore replaces the database by a backup, and keeps the database before", async () => {
  const { cwd, key, server } = await backedUp();
  await server.stop();
  const restored = JSON.parse(await output(["restore", "b.db", "--force", "--json"], { cwd }));
  const [replaced = ""] = readdirSync(join(cwd, "data")).filter((name) => replacedName.test(name));
  expect(restored).toEqual({
    database: "data/accountd.db",
    backup: "b.db",
    isChecksumVerified: true,
    organizations: 1,
    accounts: 1,
    keys: 1,
    changes: 2,
    newestChangeAt: expect.stringMatching(/^\d{4}-.*Z$/),
    replaced: expect.stringMatching(new RegExp(`/data/${replaced}$`)),
    keysCreatedSince: [],
    keysRevokedSince: [],
    personsErasedAgain: 0,
  });
  expect(readdirSync(join(cwd, "data")).sort()).toEqual(["accountd.db", "accountd.db.lock", replaced]);
  expect(await namesIn(cwd, key)).toEqual(["Kept"]);
  // The database before is whole.
  renameSync(join(cwd, "data", replaced), join(cwd, "data/accountd.db"));
  expect((await namesIn(cwd, key)).sort()).toEqual(["Kept", "Lost"]);
});

test("restore refuses a running server, a database with data, and a damaged backup, and changes nothing", async () => {
  const { cwd, key, server } = await backedUp();
  const message = async (...args: string[]) => (await run(["restore", ...args], { cwd })).stderr;
  expect(await message("b.db", "--force")).toBe(
    "data/accountd.db is in use by another accountd. Stop it first.\n",
  );
  await server.stop();
  expect(await message("b.db")).toMatch(
    /accountd\.db has data\. Add --force: it is kept under another name\.\n$/,
  );
  const backup = join(cwd, "b.db");
  const bytes = readFileSync(backup);
  bytes.fill(0xab, 4_096 * 20, 4_096 * 21);
  writeFileSync(backup, bytes);
  expect(await message("b.db", "--force")).toBe(
    "b.db is damaged: its SHA-256 differs from b.db.sha256. Use another backup.\n",
  );
  rmSync(`${backup}.sha256`);
  expect(await message("b.db", "--force")).toMatch(/^b\.db has faults, such as: .+ Use another backup\.\n$/);
  writeFileSync(backup, "no database at all");
  expect(await message("b.db", "--force")).toBe("b.db is not an accountd database.\n");
  for (const none of ["none.db", "."])
    expect(await message(none, "--force")).toBe(`There is no backup at ${none}.\n`);
  writeFileSync(backup, Buffer.from("28b52ffd78787878", "hex"));
  expect(await message("b.db", "--force")).toBe(
    "b.db is damaged: it cannot be decompressed. Use another backup.\n",
  );
  expect(readdirSync(join(cwd, "data")).sort()).toEqual(["accountd.db", "accountd.db.lock"]);
  expect((await namesIn(cwd, key)).sort()).toEqual(["Kept", "Lost"]);
});

test("a compressed backup is restored where there is no database", async () => {
  const { cwd, key, server } = await backedUp();
  await output(["backup", "b.zst", "--compress", "zstd"], { cwd });
  await server.stop();
  rmSync(join(cwd, "data"), { recursive: true });
  expect(await output(["restore", "b.zst"], { cwd })).toMatch(
    /^data\/accountd\.db was restored from b\.zst: 1 organizations, 2 accounts, 1 keys, 3 changes, the newest of .+Z\.\n/,
  );
  expect((await namesIn(cwd, key)).sort()).toEqual(["Kept", "Lost"]);
});

test("a restore that was interrupted between its two names is repeated", async () => {
  const { cwd, key, server, database } = await backedUp();
  await server.stop();
  linkSync(database, `${database}.replaced-20260101T000000Z`);
  writeFileSync(`${database}.restoring`, "half");
  await output(["restore", "b.db", "--force"], { cwd });
  const names = readdirSync(join(cwd, "data")).filter((name) => name !== "accountd.db.lock");
  expect(names.filter((name) => !replacedName.test(name))).toEqual(["accountd.db"]);
  expect(names).toHaveLength(2);
  expect(await namesIn(cwd, key)).toEqual(["Kept"]);
});

test("a damaged database and its WAL are kept by a restore, and the WAL is not applied to the backup", async () => {
  const { cwd, key, server, database } = await backedUp();
  server.kill("SIGKILL");
  await Bun.sleep(200);
  const walBytes = statSync(`${database}-wal`).size;
  expect(walBytes).toBeGreaterThan(4_096);
  writeFileSync(database, Buffer.alloc(8_192, 0xab));
  expect((await run(["restore", "b.db"], { cwd })).stderr).toContain("has data");
  await output(["restore", "b.db", "--force"], { cwd });
  const names = readdirSync(join(cwd, "data")).filter((name) => /\.replaced-.*-wal$/.test(name));
  expect(names.map((name) => statSync(join(cwd, "data", name)).size)).toEqual([walBytes]);
  expect(await namesIn(cwd, key)).toEqual(["Kept"]);
});

test("restore --organization adds an organization of a backup to the others", async () => {
  const { cwd, key, server, send } = await backedUp();
  await output(["organizations", "create", "Beta"], { cwd });
  const other = await output(["keys", "create", "--organization", "Beta"], { cwd });
  await sendRequest(server.url, other, "POST", accounts, { name: "Of Beta" });
  const kept = (await send("GET", `${accounts}/1`)).body;
  const restore = (...args: string[]) => run(["restore", "b.db", "--organization", ...args], { cwd });
  expect((await restore("Acme")).stderr).toContain("is in use by another accountd. Stop it first.");
  expect((await server.stop()) === 0).toBe(true);
  expect((await restore("Acme")).stderr).toBe(
    "The database has organization 1 with the name or the id of Acme. Export what you need, then run accountd organizations delete 1.\n",
  );
  expect((await restore("Gamma")).stderr).toBe("The backup has no organization Gamma.\n");
  await output(["organizations", "delete", "Acme", "--yes"], { cwd });
  const restored = JSON.parse(await output(["restore", "b.db", "--organization", "Acme", "--json"], { cwd }));
  expect(restored).toMatchObject({ id: 1, name: "Acme", isChecksumVerified: true, personsErasedAgain: null });
  expect(await output(["check"], { cwd })).toStartWith("data/accountd.db is sound.");
  const next = await start(["serve", "--port", "0"], { cwd });
  const read = (secret: string, path: string) => sendRequest(next.url, secret, "GET", path);
  expect((await read(key, `${accounts}/1`)).body).toEqual(kept);
  expect((await read(key, accounts)).body.data).toHaveLength(1);
  expect((await read(other, accounts)).body.data).toMatchObject([{ name: "Of Beta" }]);
  const created = await sendRequest(next.url, key, "POST", accounts, { name: "New" });
  expect([created.status, created.body.data.id]).toEqual([201, 4]);
});

test("a database of a newer version is replaced, as after an upgrade that is taken back", async () => {
  const { cwd, key, server, database } = await backedUp();
  await server.stop();
  const client = new Database(database, { strict: true });
  client.run(
    "INSERT INTO schema_migrations SELECT version + 1, 'newer', sha256, applied_at FROM schema_migrations ORDER BY version DESC LIMIT 1",
  );
  client.close();
  const { stdout } = await run(["restore", "b.db", "--force"], { cwd });
  expect(stdout).toEndWith("Erase again the persons who were erased after the backup.\n");
  expect(await namesIn(cwd, key)).toEqual(["Kept"]);
});

test.skipIf(process.getuid?.() !== 0)(
  "a database that root restores belongs to the user of the server",
  async () => {
    const cwd = folder({ unprivileged: true });
    const user = { cwd, unprivileged: true };
    await output(["organizations", "create", "Acme"], user);
    await output(["backup", "b.db"], { cwd });
    const restore = () => output(["restore", "b.db", "--force"], { cwd });
    await restore();
    await output(["organizations", "create", "Beta"], user);
    // A folder without a database.
    for (const name of readdirSync(join(cwd, "data"))) rmSync(join(cwd, "data", name));
    await restore();
    await output(["organizations", "create", "Beta"], user);
    expect(await (await start(["serve", "--port", "0"], user)).stop()).toBe(0);
  },
);

test("a restore during another one is refused, and leaves its copy", async () => {
  const { cwd, server, database } = await backedUp();
  await server.stop();
  const lock = new Database(`${database}.lock`);
  lock.run("BEGIN EXCLUSIVE");
  writeFileSync(`${database}.restoring`, "half");
  expect((await run(["restore", "b.db", "--force"], { cwd })).stderr).toContain(
    "is in use by another accountd",
  );
  expect(readFileSync(`${database}.restoring`, "utf8")).toBe("half");
  lock.close();
});
