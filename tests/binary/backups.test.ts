import { expect, setDefaultTimeout, test } from "bun:test";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { folder, output, run, start } from "./binary.ts";
import { logOf } from "./service.ts";

setDefaultTimeout(60_000);

const name = /^accountd-\d{8}T\d{6}Z\.db$/;

type Folder = { cwd: string; names: () => string[] };

async function databaseWithBackups(others: string[] = []): Promise<Folder> {
  const cwd = folder();
  await output(["organizations", "create", "Acme"], { cwd });
  mkdirSync(join(cwd, "backups"));
  for (const other of others) writeFileSync(join(cwd, "backups", other), other);
  return { cwd, names: () => readdirSync(join(cwd, "backups")).sort() };
}

async function logged(server: Awaited<ReturnType<typeof start>>, event: string) {
  for (;;) {
    const found = logOf(server).find((line) => line.event === event);
    if (found) return found;
    await Bun.sleep(20);
  }
}

const serve = (cwd: string, ...options: string[]) =>
  start(["serve", "--port", "0", "--backup-dir", "backups", ...options], { cwd });

test("serve --backup-dir makes a backup, keeps the newest ones, and leaves other files", async () => {
  const old = ["accountd-20260101T000000Z.db", "accountd-20260102T000000Z.db"];
  const others = [
    `${old[0]}.sha256`,
    `${old[1]}.sha256`,
    "other.db",
    "accountd-20260103T000000Z.db.unfinished",
  ];
  const { cwd, names } = await databaseWithBackups([...old, ...others]);
  const longAgo = new Date("2026-01-02");
  for (const path of old) utimesSync(join(cwd, "backups", path), longAgo, longAgo);
  const server = await serve(cwd, "--backup-keep", "2");
  const { time, backup, seconds, ...line } = await logged(server, "backup_made");
  expect(line).toEqual({ level: "info", event: "backup_made", bytes: statSync(backup).size });
  expect(await output(["check", "--database", backup], { cwd })).toBe(`${backup} is sound.`);
  const made = backup.slice(backup.lastIndexOf("/") + 1);
  expect(made).toMatch(name);
  while (names().length > 5) await Bun.sleep(20);
  expect(names()).toEqual([old[1], `${old[1]}.sha256`, made, `${made}.sha256`, "other.db"].toSorted());
  await server.stop();
  // The newest backup is not older than the time between two.
  const next = await serve(cwd);
  await Bun.sleep(500);
  expect(await next.stop()).toBe(0);
  expect(logOf(next).map(({ event }) => event)).not.toContain("backup_made");
  expect(names()).toHaveLength(5);
});

test("a failed backup of the server is logged, and requests are answered", async () => {
  const { cwd, names } = await databaseWithBackups(["accountd-20260101T000000Z.db.faulty"]);
  const database = join(cwd, "data/accountd.db");
  const bytes = readFileSync(database);
  // A page of an empty index.
  bytes.fill(0xab, 4_096 * 20, 4_096 * 21);
  writeFileSync(database, bytes);
  const server = await serve(cwd);
  const { time, cause, ...line } = await logged(server, "backup_failed");
  expect(line).toEqual({
    level: "error",
    event: "backup_failed",
    folder: join(realpathSync(cwd), "backups"),
    detail: "The server tries again. The newest backup in the folder is of an earlier time.",
  });
  expect(cause).toMatch(
    /^The copy has faults \(\d+\), such as: .+ It is kept as .+\.faulty\. Run accountd check\.$/,
  );
  expect(names()).toEqual([expect.stringMatching(/^accountd-2.*\.db\.faulty$/)]);
  expect(names()).not.toContain("accountd-20260101T000000Z.db.faulty");
  expect((await fetch(`${server.url}/livez`)).status).toBe(200);
});

test("serve refuses a folder that cannot be written, and a time and a number out of range", async () => {
  const cwd = folder();
  writeFileSync(join(cwd, "file"), "");
  const message = async (...options: string[]) =>
    (await run(["serve", "--port", "0", ...options], { cwd })).stderr.trim().split("\n").at(-2);
  expect(await message("--backup-dir", "file/x")).toMatch(
    /^.*\/file\/x cannot be written\. Check the permissions of the folder\.$/,
  );
  expect(await message("--backup-every", "10s")).toBe(
    "--backup-every (BACKUP_EVERY) must be a time from 1m, such as 12h or 7d.",
  );
  expect(await message("--backup-keep", "0")).toBe(
    "--backup-keep (BACKUP_KEEP) must be a number from 1 to 99999.",
  );
});
