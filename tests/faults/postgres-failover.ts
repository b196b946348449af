import type { Running } from "../binary/binary.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { startPair } from "../support/postgres-standby.ts";
import type { PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import { withoutStandby } from "./controls/postgres-failover.ts";
import { killServer } from "./postgres-crash.ts";
import { preparePostgres, query } from "./postgres-ground.ts";
import { PostgresLoad } from "./postgres-load.ts";

const failoverCounts = { short: 1, long: 20 };
/** The number of acknowledged writes before a failover, and after it. */
const writeCount = 150;
/** The milliseconds for which nothing reaches the standby, and those from the kill to the promotion. */
const isolatedMilliseconds = 300;
const maxDownMilliseconds = 1_500;

export const postgresFailover: Proof = {
  name: "postgres-failover",
  claim:
    "When the primary is killed and its synchronous standby is promoted, every acknowledged change is stored once on the standby",
  run,
  controls: [withoutStandby],
};

async function run(program: Program, scale: Scale, print: PrintLine) {
  const faults: string[] = [];
  const found = { acknowledged: 0, recoveryMilliseconds: 0, slowestMilliseconds: 0 };
  let failoverCount = 0;
  while (failoverCount < failoverCounts[scale] && faults.length === 0) {
    const { load, recoveryMilliseconds } = await failOver(program);
    failoverCount += 1;
    faults.push(...load.ledger.faults);
    found.acknowledged += load.ledger.acknowledged;
    found.recoveryMilliseconds = Math.max(found.recoveryMilliseconds, recoveryMilliseconds);
    found.slowestMilliseconds = Math.max(found.slowestMilliseconds, load.slowestMilliseconds);
    print(`${failoverCount} failovers, ${found.acknowledged} writes acknowledged`);
  }
  const tried = {
    failovers: failoverCount,
    "acknowledged writes": found.acknowledged,
    "ms to recover (max)": Math.ceil(found.recoveryMilliseconds),
    "ms for a reply (max)": Math.ceil(found.slowestMilliseconds),
  };
  return { tried, faults };
}

/** Kills a primary under the load of two copies, and promotes its standby. */
async function failOver(program: Program) {
  const pair = await startPair();
  const { primary, standby } = pair;
  closeAfterTest(() => pair.remove());
  const ground = await preparePostgres(program, primary, { hosts: pair.url });
  const copies: Running[] = [await ground.serve(0), await ground.serve(1)];
  const load = new PostgresLoad(
    ground,
    copies.map(
      ({ url }) =>
        () =>
          url,
    ),
  );
  try {
    load.start();
    await load.acknowledge(writeCount);
    const [row] = await query(primary.url, "select pid from pg_stat_replication");
    process.kill(Number(row?.[0]), "SIGSTOP");
    await Bun.sleep(isolatedMilliseconds);
    await killServer(primary);
    await Bun.sleep(Math.random() * maxDownMilliseconds);
    await pair.promote();
    ground.useServer(standby);
    const recoveryMilliseconds = await load.recover("the standby was promoted", [0, 1]);
    await load.acknowledge(writeCount);
    await load.end();
    return { load, recoveryMilliseconds };
  } finally {
    await load.stop();
    for (const copy of copies) await copy.stop("SIGKILL");
    await pair.remove();
  }
}
