import { chownSync, mkdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { sendRequest } from "../binary/service.ts";
import type { PostgresServer } from "../support/postgres-server.ts";
import type { PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import { fullPostgresDiskIsBug } from "./controls/postgres-disk-full.ts";
import { accepted } from "./postgres-crash.ts";
import { durableServer, preparePostgres, query } from "./postgres-ground.ts";
import { PostgresLoad } from "./postgres-load.ts";
import { fill, mebibyte, smallDisk, whyNoDisk } from "./small-disk.ts";

const roundCounts = { short: 1, long: 20 };
const dataDiskBytes = 64 * mebibyte;
const logDiskBytes = 96 * mebibyte;
/** The number of rejected writes, and of reads, while the disk is full. */
const minRefused = 20;
const maxMilliseconds = 20_000;
const accounts = "/api/v1/accounts";

export const postgresDiskFull: Proof = {
  name: "postgres-disk-full",
  claim:
    "On a full disk of PostgreSQL reads succeed and writes are 503; when there is space again, everything succeeds",
  missing: whyNoDisk,
  run,
  controls: [fullPostgresDiskIsBug],
};

async function run(program: Program, scale: Scale, print: PrintLine) {
  const server = await durableServer({ settings: { min_wal_size: "32MB", max_wal_size: "64MB" } });
  const [dataDisk, logDisk] = [smallDisk(dataDiskBytes), smallDisk(logDiskBytes)];
  const tablespace = folderOfServer(server, dataDisk);
  await moveLog(server, folderOfServer(server, logDisk));
  await query(server.url, `create tablespace small location '${tablespace}'`);
  const ground = await preparePostgres(program, server, { tablespace: "small" });
  const copy = await ground.serve(0);
  const load = new PostgresLoad(ground, [() => copy.url]);
  const { faults } = load.ledger;
  const tried = { "full disks": 0, "full disks of the log": 0, reads: 0 };
  const slowest = { recovery: 0 };
  const recover = async (event: string) => {
    slowest.recovery = Math.max(slowest.recovery, await load.recover(event, [0]));
  };

  async function fillDataDisk(): Promise<void> {
    const failed = load.refusedCount("store_failed");
    fill(dataDisk, join(dataDisk, "ballast"), 0);
    const startedAt = performance.now();
    while (load.refusedCount("store_failed") < failed + minRefused && faults.length === 0) {
      await read();
      if (performance.now() - startedAt > maxMilliseconds) faults.push("a full disk rejects no write");
    }
    rmSync(join(dataDisk, "ballast"));
    await recover("the disk has space again");
    tried["full disks"] += 1;
  }

  async function read(): Promise<void> {
    for (const path of [accounts, `${accounts}?search=w`, `${accounts}?externalId=taken`, "/readyz"]) {
      const { status, text } = await sendRequest(copy.url, ground.keys[0] ?? "", "GET", path);
      if (status !== 200) faults.push(`${path} is ${status} ${text} while the disk is full`);
      tried.reads += 1;
    }
  }

  /** Without space for its log, the server ends: it has to be started again. */
  async function fillLogDisk(): Promise<void> {
    fill(logDisk, join(logDisk, "ballast"), 0);
    // Each call begins a new file of the log.
    while (await query(server.url, "select pg_switch_wal()").catch(() => undefined)) await Bun.sleep(5);
    await Bun.sleep(500);
    rmSync(join(logDisk, "ballast"));
    await accepted(ground.adminUrl(), server);
    await recover("the disk of the log has space again");
    tried["full disks of the log"] += 1;
  }

  try {
    for (let round = 0; round < roundCounts[scale] && faults.length === 0; round += 1) {
      load.start();
      await load.acknowledge(50);
      await fillDataDisk();
      if (faults.length > 0) break;
      await fillLogDisk();
      await load.end();
      print(`${round + 1} rounds, ${load.ledger.acknowledged} writes acknowledged`);
    }
  } finally {
    await load.stop();
  }
  return {
    tried: {
      ...tried,
      "acknowledged writes": load.ledger.acknowledged,
      "rejected writes": load.ledger.refused,
      "ms to recover (max)": Math.ceil(slowest.recovery),
    },
    faults,
  };
}

/** A folder on the disk that the server can write. */
function folderOfServer({ folder }: PostgresServer, disk: string): string {
  const path = join(disk, "postgres");
  mkdirSync(path, { mode: 0o700 });
  const { uid, gid } = statSync(folder);
  chownSync(path, uid, gid);
  return path;
}

/** Moves the write-ahead log of the server to another folder. */
async function moveLog(server: PostgresServer, target: string): Promise<void> {
  await server.stop();
  const log = join(server.folder, "data/pg_wal");
  Bun.spawnSync(["cp", "-a", log, join(target, "log")]);
  rmSync(log, { recursive: true });
  symlinkSync(join(target, "log"), log);
  await server.start();
}
