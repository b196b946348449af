import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { binary } from "../binary/build.ts";
import type { PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import { durableServer, type PostgresGround, preparePostgres } from "./postgres-ground.ts";
import { PostgresLoad } from "./postgres-load.ts";
import { documentedCommands, postgresTools, runDocumented, whyNoTools } from "./postgres-tools.ts";

const dumpCounts = { short: 1, long: 20 };
const writeCount = 150;
/** The writes to a restored database. */
const laterWriteCount = 60;
/** For a reply next to a dump, which the proof does not measure. */
const maxMilliseconds = 20_000;

export const postgresDump: Proof = {
  name: "postgres-dump",
  claim:
    "The documented pg_dump next to writing servers restores to a sound database with every write acknowledged before it, which accepts writes",
  missing: whyNoTools,
  run: (program, scale, print) => run(program, scale, print),
  controls: [
    {
      name: "the dump is older than the last writes",
      run: async (print) => run([await binary()], "short", print, { isOlder: true }),
    },
  ],
};

async function run(program: Program, scale: Scale, print: PrintLine, { isOlder } = { isOlder: false }) {
  const server = await durableServer({ bin: postgresTools() });
  const ground = await preparePostgres(program, server);
  const folder = join(server.folder, "dumps");
  mkdirSync(folder);
  const [dump = "", restore = ""] = documentedCommands("### Back up and restore PostgreSQL");
  const copies = [await ground.serve(0), await ground.serve(1)];
  const load = new PostgresLoad(
    ground,
    copies.map(
      ({ url }) =>
        () =>
          url,
    ),
  );
  load.maxMilliseconds = maxMilliseconds;
  const { faults } = load.ledger;
  const tried = { dumps: 0, "writes before a dump": 0, "writes after it": 0, "writes to a restored one": 0 };
  try {
    while (tried.dumps < dumpCounts[scale] && faults.length === 0) {
      const name = `accountd_restored_${tried.dumps}`;
      const replaced = { "/var/backups/accountd": folder, accountd_restored: name };
      const place = { server, program, replaced };
      load.start();
      await load.acknowledge(writeCount);
      let from = performance.now();
      await runDocumented(dump, place);
      const until = performance.now();
      await load.acknowledge(writeCount);
      if (isOlder) from = performance.now();
      await load.stop();
      const [file = ""] = readdirSync(folder).toSorted().slice(-1);
      const chosen = { ...replaced, "2026-11-22-030000.dump": file };
      await runDocumented(restore, { ...place, replaced: chosen });
      const url = new URL(ground.adminUrl());
      url.pathname = name;
      await load.compare(url.href, { from, until });
      const { before, after } = load.ledger.countAround({ from, until });
      tried["writes before a dump"] = before;
      tried["writes after it"] += after;
      tried["writes to a restored one"] += await writeTo(ground, name, faults);
      tried.dumps += 1;
      print(`${tried.dumps} dumps, ${before} writes`);
    }
    await load.end();
  } finally {
    await load.stop();
  }
  return { tried, faults };
}

/** Writes to a restored database by a server of its own. Adds its faults, and returns the number of writes. */
async function writeTo(ground: PostgresGround, name: string, faults: string[]): Promise<number> {
  const url = new URL(ground.urlOf(0));
  url.pathname = name;
  const { url: address, stop } = await ground.serve(0, url.href);
  const load = new PostgresLoad(ground, [() => address], "later");
  try {
    load.start();
    await load.acknowledge(laterWriteCount);
    await load.stop();
    await load.compare(url.href);
    faults.push(...load.ledger.faults);
    return load.ledger.acknowledged;
  } finally {
    await load.stop();
    await stop();
  }
}
