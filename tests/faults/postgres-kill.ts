import type { Running } from "../binary/binary.ts";
import type { PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import {
  jobsWithoutLease,
  releasesOrganizationLocks,
  repliesBeforeCommit,
} from "./controls/postgres-kill.ts";
import { accepted, killBackend, killServer } from "./postgres-crash.ts";
import { durableServer, preparePostgres } from "./postgres-ground.ts";
import { JobRuns } from "./postgres-jobs.ts";
import { PostgresLoad } from "./postgres-load.ts";

const roundCounts = { short: 1, long: 25 };
/** The number of acknowledged writes before each kill. */
const [minWrites, maxWrites] = [60, 240];
const maxTakeoverSeconds = 15;
const secondsOfJobs = 2;

export const postgresKill: Proof = {
  name: "postgres-kill",
  claim:
    "After a SIGKILL of a copy or of the PostgreSQL server every acknowledged change is stored once, and the other copy continues",
  run,
  controls: [repliesBeforeCommit, releasesOrganizationLocks, jobsWithoutLease],
};

async function run(program: Program, scale: Scale, print: PrintLine) {
  const server = await durableServer();
  const ground = await preparePostgres(program, server);
  const jobs = await JobRuns.observe(ground.adminUrl());
  const copies: (Running | undefined)[] = [await ground.serve(0), await ground.serve(1)];
  const load = new PostgresLoad(
    ground,
    copies.map((_, copy) => () => copies[copy]?.url),
  );
  const tried = { "kills of a copy": 0, "kills of PostgreSQL": 0 };
  const found = { recoveryMilliseconds: 0, takeoverSeconds: 0 };
  const { faults } = load.ledger;
  const recover = async (event: string, expected: readonly number[]) => {
    found.recoveryMilliseconds = Math.max(found.recoveryMilliseconds, await load.recover(event, expected));
  };
  const writeSome = () => load.acknowledge(minWrites + Math.random() * (maxWrites - minWrites));

  /** The copy that runs the jobs, from the first run on; undefined if that is not one. */
  async function copyOfJobs(): Promise<number | undefined> {
    const seconds = await jobs.secondsUntilAny(maxTakeoverSeconds);
    await Bun.sleep(secondsOfJobs * 1_000);
    const running = await jobs.copies(seconds + secondsOfJobs);
    if (running.length !== 1) faults.push(`jobs ran on ${running.length} copies`);
    return faults.length === 0 ? running[0] : undefined;
  }

  async function killServers(expected: readonly number[]): Promise<void> {
    await writeSome();
    await killServer(server);
    await Bun.sleep(Math.random() * 500);
    await server.start();
    await accepted(ground.adminUrl());
    await recover("PostgreSQL was killed", expected);
    await writeSome();
    await killBackend(ground.adminUrl());
    await recover("a process of PostgreSQL was killed", expected);
    tried["kills of PostgreSQL"] += 2;
  }

  /** Kills one of the copies; the other one has to continue and to run the jobs. */
  async function killCopy(killed: number): Promise<void> {
    await copies[killed]?.stop("SIGKILL");
    copies[killed] = undefined;
    tried["kills of a copy"] += 1;
    const takeover = jobs.secondsUntil(1 - killed, maxTakeoverSeconds + 5);
    await recover(`copy ${killed} was killed`, [1 - killed]);
    await killServers([1 - killed]);
    const seconds = await takeover;
    if (seconds > maxTakeoverSeconds) faults.push(`the other copy ran no job for ${seconds.toFixed(1)} s`);
    found.takeoverSeconds = Math.max(found.takeoverSeconds, seconds);
    copies[killed] = await ground.serve(killed);
    await recover("a copy was started", [0, 1]);
  }

  try {
    for (let round = 0; round < roundCounts[scale] && faults.length === 0; round += 1) {
      load.start();
      const killed = await copyOfJobs();
      if (killed === undefined) break;
      if (scale === "long") await killServers([0, 1]);
      await writeSome();
      await killCopy(killed);
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
      "ms to recover (max)": Math.ceil(found.recoveryMilliseconds),
      "ms for a reply (max)": Math.ceil(load.slowestMilliseconds),
      "s until jobs ran again (max)": Math.ceil(found.takeoverSeconds),
    },
    faults,
  };
}
