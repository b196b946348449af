import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { binary } from "../binary/build.ts";
import { codeBlocks, sectionOf } from "../documents/documents.ts";
import { bash } from "../support/bash.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import type { PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import { runCommand, startWriters } from "./backup-trial.ts";
import { restartable } from "./restarts.ts";
import { inspect } from "./stored-halves.ts";

const section = () => sectionOf("docs/operations.md", "### Replicate with Litestream");
const killCounts = { short: 4, long: 40 };
const writers = 16;
/** The documented time after which a change is in the replica, and the time to write it on a busy machine. */
const maxAgeMilliseconds = 2_000 + 500;
/** From the start until the changes are noted that must be in the replica: its first copy takes 2 s. */
const [minLoadMilliseconds, maxLoadMilliseconds] = [2_500, 5_000];

export const litestream: Proof = {
  name: "litestream",
  claim:
    "After SIGKILL of the server and of Litestream, the replica restores to a sound database with every change that was acknowledged 2 s before",
  missing: () => (existsSync(program()) ? undefined : "Litestream is not installed"),
  run: (program, scale, print) => killBoth(program, scale, print),
  controls: [
    {
      name: "Litestream was stopped before the last changes",
      run: async (print) => killBoth([await binary()], "short", print, { isReplicating: false }),
    },
  ],
};

/** The program of the npm package, whose main file only starts it. */
function program(): string {
  const name = `@flydotio/litestream-${process.platform}-${process.arch}`;
  return join(import.meta.dir, "../../node_modules", name, "litestream");
}

async function killBoth(
  accountd: Program,
  scale: Scale,
  print: PrintLine,
  { isReplicating } = { isReplicating: true },
) {
  const database = await restartable(accountd);
  const folder = dirname(database.database);
  const placed = (text: string) =>
    text.replaceAll("/var/lib/accountd", folder).replaceAll("/var/backups", join(folder, "backups"));
  mkdirSync(join(folder, "backups"));
  const configuration = join(folder, "litestream.yml");
  writeFileSync(configuration, placed(codeBlocks(section(), "yaml")[0] ?? ""));
  const [restore = ""] = codeBlocks(section(), "sh");
  const tried = { kills: 0, "acknowledged writes": 0, "restored databases": 0 };
  const faults: string[] = [];
  const names: string[] = [];
  while (tried.kills < killCounts[scale] && faults.length === 0) {
    await database.start();
    const replicator = replicate(configuration, folder);
    const { acknowledged, stop } = startWriters(database, writers);
    await Bun.sleep(minLoadMilliseconds + Math.random() * (maxLoadMilliseconds - minLoadMilliseconds));
    if (!isReplicating) replicator.kill("SIGSTOP");
    names.push(...acknowledged);
    await Bun.sleep(maxAgeMilliseconds);
    await Promise.all([database.kill(), replicator.kill("SIGKILL")]);
    await stop();
    await replicator.exited;
    tried.kills += 1;
    tried["acknowledged writes"] = names.length;
    print(`${tried.kills} kills, ${names.length} changes`);
    // Otherwise both go on after the crash, with the files that they left.
    if (isReplicating && tried.kills % 2 === 1) continue;
    await bash(`${standIns}\n${placed(restore)}`, {
      ACCOUNTD: accountd.join(" "),
      LITESTREAM: program(),
      CONFIGURATION: configuration,
    }).catch((error: Error) => faults.push(`the documented commands failed: ${error.message}`));
    const stored = new Set(namesIn(database.database));
    const lost = names.filter((name) => !stored.has(name)).length;
    if (lost > 0) faults.push(`${lost} of ${names.length} changes are lost`);
    const check = await runCommand(accountd, ["check", "--database", database.database]);
    if (check.code !== 0) faults.push(`accountd check: ${check.stderr}`);
    tried["restored databases"] += 1;
    rmSync(`${database.database}.replicated`, { force: true });
  }
  return { tried, faults };
}

function replicate(configuration: string, folder: string) {
  const log = Bun.file(join(folder, "litestream.log"));
  const child = Bun.spawn([program(), "replicate", "-config", configuration], { stdout: log, stderr: log });
  closeAfterTest(() => {
    child.kill("SIGKILL");
    return child.exited;
  });
  return child;
}

function namesIn(file: string): string[] {
  return inspect(file, (client) => client.query("SELECT name FROM accounts").values().flat().map(String));
}

/** The commands run as root with systemd. Here the programs run as this user, and both were killed. */
const standIns = `
runuser() { shift 3; "$@"; }
systemctl() { true; }
accountd() { [ "$1" = health ] || $ACCOUNTD "$@"; }
litestream() { command=$1; shift; "$LITESTREAM" "$command" -config "$CONFIGURATION" "$@"; }
`;
