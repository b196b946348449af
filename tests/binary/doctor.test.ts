import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Finding } from "../../src/cli/doctor/finding.ts";
import { version } from "../../src/version.ts";
import { mebibyte, smallDisk, whyNoDisk } from "../faults/small-disk.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { folder, output, run, start } from "./binary.ts";
import { binary } from "./build.ts";
import { service } from "./service.ts";

setDefaultTimeout(60_000);

const day = 86_400_000;
const [tmpfs, overlay] = [0x01021994, 0x794c7630];
const hasDisk = ![tmpfs, overlay].includes(statfsSync("/var/tmp").type) && whyNoDisk() === undefined;

/** Without what differs between runs: times, sizes, the limit of open files, and the widths of columns. */
const masked = (text: string) =>
  text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/\d+ (?:bytes|[KMGT]iB)/g, "SIZE")
    .replaceAll(/is \d+ (?:seconds|minutes) (?:earlier|old)/g, "is SECONDS")
    .replaceAll(/is (?:\d+|unlimited)\.$/gm, "is LIMIT.")
    .replaceAll(/3\.\d+\.\d+/g, "VERSION")
    .replaceAll(/ {2,}/g, "  ");

/** The database of a server that was stopped, on a disk. */
async function stoppedOnDisk() {
  const here = await service();
  await here.server.stop();
  const cwd = mkdtempSync("/var/tmp/accountd-doctor-");
  closeAfterTest(async () => rmSync(cwd, { recursive: true, force: true }));
  cpSync(here.cwd, cwd, { recursive: true });
  chmodSync(join(cwd, "data"), 0o700);
  chmodSync(join(cwd, "data/accountd.db"), 0o600);
  return cwd;
}

/** The database of a server that was stopped, in memory. */
async function stopped() {
  const { cwd, server, database } = await service();
  await server.stop();
  return { cwd, database };
}

function change(database: string, ...statements: string[]): void {
  using client = new Database(database);
  for (const sql of statements) client.run(sql);
}

type Settings = Parameters<typeof run>[1];

/** The finding of one check, and the exit code of the command. */
async function findingOf(check: string, cwd: string, flags: string[] = [], settings: Settings = {}) {
  const { code, stdout, stderr } = await run(["doctor", "--json", ...flags], { cwd, ...settings });
  const found: Finding[] = JSON.parse(stdout || stderr).findings;
  const { check: _, ...finding } = found.find((finding) => finding.check === check) ?? {};
  return { code, ...finding };
}

function writeBackup(backups: string, time: number, bytes = 0): string {
  const name = `accountd-${new Date(time).toISOString().replaceAll(/[-:]|\.\d+/g, "")}.db`;
  const path = join(backups, name);
  writeFileSync(path, "");
  truncateSync(path, bytes);
  utimesSync(path, time / 1000, time / 1000);
  return path;
}

/** The names of all files, and their times. A folder has no time: SQLite creates and removes its index file there. */
function stateOf(cwd: string) {
  const names = readdirSync(cwd, { recursive: true }).map(String).sort();
  const stats = names.map((name) => [name, statSync(join(cwd, name))] as const);
  return stats.map(([name, status]) => [name, status.isFile() && status.mtimeMs]);
}

test.skipIf(!hasDisk)("doctor of a sound database is ok in every line, and changes nothing", async () => {
  const cwd = await stoppedOnDisk();
  const backups = smallDisk(mebibyte);
  writeBackup(backups, Date.now());
  const flags = ["--backup-dir", backups, "--port", "0"];
  const doctor = async (...words: string[]) => {
    const before = stateOf(cwd);
    const printed = await output(["doctor", ...words, ...flags], { cwd });
    expect(stateOf(cwd)).toEqual(before);
    return printed;
  };
  const stoppedReport = JSON.parse(await doctor("--json"));
  expect(stoppedReport).toMatchObject({ database: "data/accountd.db", status: "ok" });
  const noServer = { check: "server", status: "ok", found: "No server has the file open.", action: null };
  expect(stoppedReport.findings[3]).toEqual(noServer);
  expect(stoppedReport.settings).toEqual(JSON.parse(await output(["config", "--json", ...flags], { cwd })));
  await start(["serve", "--port", "0"], { cwd });
  const [settings = "", findings = ""] = (await doctor()).split("\n\n");
  const config = await output(["config", ...flags], { cwd });
  const columns = config.split("\n").map((line) => line.slice(0, config.indexOf("VARIABLE")).trimEnd());
  expect(masked(settings)).toBe(masked(columns.join("\n").replace("NAME   ", "SETTING")));
  const path = join(cwd, "data");
  expect(masked(findings).split("\n")).toEqual([
    `ok  configuration  All ${columns.length - 1} settings are valid. Not the default: 2.`,
    expect.stringMatching(
      new RegExp(`^ok  versions  accountd ${version}, SQLite VERSION, schema (\\d+) of \\1\\.$`),
    ),
    "ok  clock  It is TIME. The newest row is SECONDS.",
    "ok  server  A server has the file open.",
    `ok  permissions  ${path}/accountd.db has the mode 600, ${path} has the mode 700.`,
    "ok  disk  SIZE of SIZE are free; the database has SIZE. No growth is known.",
    `ok  file system  ${path} is on a local disk.`,
    `ok  backups  ${backups} has 1. The newest is SECONDS; the server makes one every 24 hours.`,
    "ok  open files  The limit of this process is LIMIT.",
  ]);
});

const restore =
  "If it should be there and whole: run accountd check, and restore a backup by accountd restore.";

test("doctor reports a file that is missing, damaged, or of an older version", async () => {
  const { cwd, database } = await stopped();
  const missing = await findingOf("database", cwd, ["--database", "other.db"]);
  const found = "There is no database at other.db. Name another with --database or DATABASE_URL.";
  expect(missing).toEqual({ code: 1, status: "error", found, action: restore });
  expect((await findingOf("folder", cwd, ["--database", "none/a.db"])).found).toBe(
    `There is no folder ${join(cwd, "none")}.`,
  );
  change(
    database,
    "DELETE FROM schema_migrations WHERE version = (SELECT max(version) FROM schema_migrations)",
  );
  expect(await findingOf("versions", cwd)).toEqual({
    code: 0,
    status: "warning",
    found: expect.stringMatching(/^accountd \S+, schema \d+ of \d+\.$/),
    action: "Make a backup; then serve, or accountd migrate, upgrades the database.",
  });
  writeFileSync(database, "damaged".repeat(2_000));
  expect(await findingOf("database", cwd)).toMatchObject({ code: 1, status: "error", action: restore });
  expect(await findingOf("permissions", cwd)).toMatchObject({ status: "ok" });
});

test("doctor reports an invalid setting, and examines the database all the same", async () => {
  const { cwd } = await stopped();
  expect(await findingOf("configuration", cwd, ["--event-days", "0"])).toEqual({
    code: 1,
    status: "error",
    found: expect.stringMatching(/^--event-days \(EVENT_DAYS\) must be /),
    action: "Until then, serve does not start.",
  });
  expect(await findingOf("versions", cwd, ["--event-days", "0"])).toMatchObject({ status: "ok" });
});

test("doctor compares the clock with the newest row", async () => {
  const { cwd, database } = await stopped();
  const setNewest = (time: number) =>
    change(
      database,
      `UPDATE organizations SET created_at = ${time}`,
      `UPDATE api_keys SET created_at = ${time}`,
    );
  setNewest(Date.now() + 3 * day);
  expect(await findingOf("clock", cwd)).toEqual({
    code: 1,
    status: "error",
    found: expect.stringMatching(/^It is \S+Z\. The newest row is 3 days later\.$/),
    action: "Set the clock, by NTP.",
  });
  setNewest(Date.now() - 40 * day);
  expect(await findingOf("clock", cwd)).toEqual({
    code: 0,
    status: "warning",
    found: expect.stringMatching(/^It is \S+Z\. The newest row is 40 days earlier\.$/),
    action: "If the clock is right, run accountd jobs run retention; otherwise set it.",
  });
});

test("doctor reports who may read and who may not write the file, and a low limit of open files", async () => {
  const { cwd, database } = await stopped();
  const data = join(cwd, "data");
  chmodSync(database, 0o644);
  expect(await findingOf("permissions", cwd)).toEqual({
    code: 0,
    status: "warning",
    found: `${database} has the mode 644, ${data} has the mode 700.`,
    action: `Other users can read or replace the file. Run chmod 600 ${database}.`,
  });
  chmodSync(database, 0o600);
  chmodSync(data, 0o777);
  expect(await findingOf("permissions", cwd)).toMatchObject({
    action: `Other users can read or replace the file. Run chmod 700 ${data}.`,
  });
  chmodSync(data, 0o755);
  chmodSync(database, 0o444);
  chmodSync(cwd, 0o755);
  expect(await findingOf("permissions", cwd, [], { unprivileged: true })).toMatchObject({
    code: 1,
    status: "error",
    found: `${database} cannot be written by this user.`,
  });
  const program = ["bash", "-c", 'ulimit -n 256; exec "$0" "$@"', await binary()];
  expect(await findingOf("open files", cwd, [], { program })).toEqual({
    code: 0,
    status: "warning",
    found: "The limit of this process is 256.",
    action: "Each connection needs one: set LimitNOFILE=65536 in the unit, or run ulimit -n 65536.",
  });
});

test("doctor reports missing, faulty and old backups", async () => {
  const { cwd } = await stopped();
  const backups = folder();
  const flags = ["--backup-dir", backups];
  const see = "Read backup_failed in the log of the server, or run accountd backup to see the cause.";
  const backupsOf = (...words: string[]) => findingOf("backups", cwd, words);
  expect(await backupsOf()).toMatchObject({
    code: 0,
    status: "warning",
    found: "The server makes no backups.",
  });
  const missing = await backupsOf("--backup-dir", "none");
  expect(missing).toMatchObject({ code: 1, status: "error", found: `${join(cwd, "none")} cannot be read.` });
  const error = { code: 1, status: "error" as const, action: see };
  expect(await backupsOf(...flags)).toEqual({ ...error, found: `${backups} has no backup.` });
  const old = writeBackup(backups, Date.now() - 3 * day);
  const found = `${backups} has 1. The newest is 3 days old; the server makes one every 24 hours.`;
  expect(await backupsOf(...flags)).toEqual({ ...error, found });
  expect(await backupsOf(...flags, "--backup-every", "48h")).toEqual({
    code: 0,
    status: "warning",
    found: found.replace("24 hours", "2 days"),
    action: "They are on the disk of the database: use another one, or set --backup-to.",
  });
  writeFileSync(`${old}.faulty`, "");
  expect((await backupsOf(...flags)).found).toBe(`${old.slice(backups.length + 1)}.faulty has faults.`);
});

const isNoDisk = whyNoDisk() !== undefined;

test.skipIf(isNoDisk)(
  "doctor reports a full disk, one that is full soon, and the file systems of no disk",
  async () => {
    const { database } = await stopped();
    const disk = smallDisk(240 * mebibyte);
    const backups = join(disk, "backups");
    mkdirSync(backups);
    cpSync(database, join(disk, "accountd.db"));
    const flags = ["--database", join(disk, "accountd.db"), "--backup-dir", backups];
    const diskOf = () => findingOf("disk", disk, flags);
    expect(await diskOf()).toMatchObject({ code: 1, status: "ok" });
    writeBackup(backups, Date.now() - 10 * day, mebibyte);
    writeBackup(backups, Date.now() - day, 91 * mebibyte);
    expect(await diskOf()).toEqual({
      code: 0,
      status: "warning",
      found:
        "240 MiB of 240 MiB are free; the database has 412 KiB. The disk is full in 23 days: the database grows by 10 MiB a day between the oldest and the newest backup.",
      action: "Use a larger disk, or keep events and changes for fewer days.",
    });
    writeFileSync(join(disk, "ballast"), Buffer.alloc(150 * mebibyte));
    expect(await diskOf()).toMatchObject({
      code: 1,
      status: "error",
      action: "Free space now: on a full disk, every write fails, and reads go on.",
    });
    rmSync(join(disk, "ballast"));
    rmSync(backups, { recursive: true });
    const blob = `CREATE TABLE ballast AS SELECT zeroblob(${110 * mebibyte}) AS bytes`;
    change(join(disk, "accountd.db"), "PRAGMA journal_mode = OFF", blob);
    writeFileSync(join(disk, "ballast"), Buffer.alloc(25 * mebibyte));
    expect(await diskOf()).toMatchObject({
      status: "warning",
      action: "Free space: an upgrade, and a backup in this folder, copy the whole file.",
    });
    const memory = await findingOf("file system", disk, flags);
    expect(memory).toMatchObject({
      status: "warning",
      found: `${disk} is in memory (tmpfs): it is lost when the machine stops.`,
    });
  },
);
