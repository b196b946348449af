import { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { binary } from "../binary/build.ts";
import { codeBlocks, sectionOf } from "../documents/documents.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { asUser } from "../support/postgres-server.ts";
import type { PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import { durableServer, preparePostgres, query } from "./postgres-ground.ts";
import { PostgresLoad } from "./postgres-load.ts";
import { documentedCommands, postgresTools, runDocumented, whyNoTools } from "./postgres-tools.ts";

const heading = "### Restore PostgreSQL to a point in time";
const recoveryCounts = { short: 2, long: 20 };
const writeCount = 150;
/** Between the last write before the time and the time, which is in milliseconds. */
const marginMilliseconds = 5;
/** For a reply next to a base backup, which the proof does not measure. */
const maxMilliseconds = 20_000;
type Fault = "a file of the archive is missing" | "the recovery has no target";

export const postgresRecovery: Proof = {
  name: "postgres-recovery",
  claim:
    "The documented archive and base backup restore to a time: with every write acknowledged before it, and none that was sent after it",
  missing: whyNoTools,
  run: (program, scale, print) => run(program, scale, print),
  controls: (["a file of the archive is missing", "the recovery has no target"] as const).map((name) => ({
    name,
    run: async (print) => run([await binary()], "short", print, name),
  })),
};

async function run(program: Program, scale: Scale, print: PrintLine, fault?: Fault) {
  const service = await archivingServer(program);
  const { server, ground, archive } = service;
  const [baseBackup = "", recover = "", resume = ""] = documentedCommands(heading);
  const tried = { recoveries: 0, "writes before the time": 0, "writes after it": 0 };
  const faults: string[] = [];
  while (tried.recoveries < recoveryCounts[scale] && faults.length === 0) {
    const copies = [await ground.serve(0), await ground.serve(1)];
    const addresses = copies.map(
      ({ url }) =>
        () =>
          url,
    );
    // After a recovery: also writes to the restored database.
    const load = new PostgresLoad(ground, addresses, `round-${tried.recoveries}-`);
    load.maxMilliseconds = maxMilliseconds;
    try {
      load.start();
      await load.acknowledge(writeCount);
      await service.run(baseBackup);
      await load.acknowledge(writeCount);
      const from = performance.now();
      await Bun.sleep(marginMilliseconds);
      const time = new Date().toISOString().replace("T", " ").replace("Z", "+00");
      await Bun.sleep(marginMilliseconds);
      const until = performance.now();
      await load.acknowledge(writeCount);
      await load.end();
      for (const copy of copies) await copy.stop();
      if (fault === "a file of the archive is missing") await removeLast(server.url, archive);
      const commands =
        fault === "the recovery has no target" ? recover.replace(/^recovery_target_time.*\n/m, "") : recover;
      const [base = ""] = readdirSync(service.backups)
        .filter((name) => name.startsWith("base-"))
        .toSorted()
        .slice(-1);
      await service
        .run(commands, { "base-2026-11-22-030000": base, "2026-11-24 14:00:00+00": time })
        .catch((error: Error) => faults.push(`the documented commands failed: ${error.message}`));
      if (faults.length > 0) break;
      await load.compare(ground.adminUrl(), { from, until });
      faults.push(...load.ledger.faults);
      await service.run(resume);
      const { before, after } = load.ledger.countAround({ from, until });
      tried.recoveries += 1;
      tried["writes before the time"] += before;
      tried["writes after it"] += after;
      print(`${tried.recoveries} recoveries, ${tried["writes before the time"]} writes`);
    } finally {
      await load.stop();
    }
  }
  return { tried, faults };
}

/** A server with the documented settings, which the documented commands start and stop by pg_ctl. */
async function archivingServer(program: Program) {
  const bin = postgresTools();
  const server = await durableServer({ bin });
  const { folder, port } = server;
  const [data, backups] = [join(folder, "data"), join(folder, "backups")];
  const archive = join(backups, "wal");
  const replaced = { "/var/lib/postgresql/17/main": data, "/var/backups/postgresql": backups };
  const place = { server, program, replaced };
  const [settings = ""] = codeBlocks(sectionOf("docs/operations.md", heading), "ini");
  await server.stop();
  const own = `listen_addresses = '127.0.0.1'\nport = ${port}\nunix_socket_directories = ''\nmax_connections = 200\n`;
  appendFileSync(
    join(data, "postgresql.conf"),
    own + settings.replaceAll("/var/backups/postgresql", backups),
  );
  const user = asUser([]).join(" ");
  const log = join(folder, "server.log");
  const standIns = `
runuser() { shift 3; ${user} "$@"; }
chown() { [ -z "${user}" ] || command chown -R 65534:65534 "$3"; }
install() { command install -d -m 700 "$6" && chown -R postgres: "$6"; }
systemctl() {
  case "$*" in
    *postgresql*) ${user} pg_ctl -D ${data} -l ${log} -w -s "$1" || { grep FATAL ${log} >&2; false; } ;;
  esac
}
`;
  const run = (commands: string, values = {}) =>
    runDocumented(commands, { ...place, replaced: { ...replaced, ...values } }, standIns);
  mkdirSync(backups);
  await run(
    `chown -R postgres: "${backups}"; install -d -o postgres -m 700 "${archive}"; systemctl start postgresql`,
  );
  closeAfterTest(() => run(`systemctl stop postgresql`).catch(() => {}));
  return { server, ground: await preparePostgres(program, server), archive, backups, run };
}

/** Ends the file of the WAL that is written, and removes it from the archive. */
async function removeLast(url: string, archive: string): Promise<void> {
  const [row] = await query(url, "select pg_walfile_name(pg_switch_wal())");
  const file = join(archive, String(row?.[0]));
  while (!existsSync(file)) await Bun.sleep(20);
  rmSync(file);
}
