import { ServiceClock } from "../clock.ts";
import type { Engine, Snapshot } from "../engine.ts";
import type { Migration } from "../migration.ts";
import { Lease } from "./leases.ts";
import { migrations as released } from "./migrations/list.ts";
import { type PrepareOptions, prepareSchema } from "./open.ts";
import { Reads } from "./reads.ts";
import { Session } from "./session.ts";
import { WriteLane } from "./write-lane.ts";

export type PostgresOptions = PrepareOptions & {
  /** The monotonic clock in milliseconds; default: that of the process. */
  elapsed?: () => number;
  onClockJump?: (milliseconds: number) => void;
  migrations?: readonly Migration[];
};

/** Opens a database. Throws UnusableDatabase when it cannot be reached or has another schema. */
export async function openPostgres(url: string, options: PostgresOptions): Promise<Engine> {
  await prepareSchema(url, options.migrations ?? released, options);
  return startEngine(url, options);
}

function startEngine(url: string, options: PostgresOptions): Engine {
  const { clock, elapsed, onClockJump } = options;
  const { readConnections = 8, writeLanes = 4, ...limits } = options.connections ?? {};
  const serviceClock = new ServiceClock({ clock, elapsed, onJump: onClockJump });
  let lastTransactionAt = 0;
  let resetCount = 0;
  function now(): number {
    const wall = serviceClock.wallTime();
    if (serviceClock.resetCount !== resetCount) lastTransactionAt = 0;
    resetCount = serviceClock.resetCount;
    return Math.max(wall, lastTransactionAt);
  }
  const onTransaction = (time: number) => {
    lastTransactionAt = Math.max(lastTransactionAt, time);
  };
  const session = () => new Session({ url, ...limits });
  const lookup = session();
  const reads = new Reads(Array.from({ length: readConnections }, session), now);
  const lanes = Array.from(
    { length: writeLanes },
    () => new WriteLane({ session: session(), now: () => serviceClock.wallTime(), onTransaction }),
  );
  const jobs = new Lease(lookup, "jobs");
  /** Single statements without a transaction, all on one connection. */
  const snapshotOfNow = async (): Promise<Snapshot> => {
    await lookup.connect();
    return {
      now: now(),
      first: (statement, values) => lookup.first(statement, values),
      all: (statement, values) => lookup.all(statement, values),
      searchAccounts: async () => undefined,
    };
  };
  return {
    clock: serviceClock,
    now,
    read: (fn) => reads.read(fn),
    lookUp: async (fn) => fn(await snapshotOfNow()),
    write: async (organizationId, fn) => {
      const lane = lanes[organizationId % lanes.length];
      if (!lane) throw new Error("there is no lane for writes");
      return lane.push(organizationId, fn);
    },
    ping: async () => {
      await lookup.connect();
      await lookup.query("select 1 where cast($1 as text) is not null", ["1"]);
    },
    leaseJobs: () => jobs.take(),
    // VACUUM of the server does this.
    eraseDeleted: () => async () => false,
    close: async () => {
      await Promise.all(lanes.map((lane) => lane.close()));
      await jobs.drop();
      reads.close();
      lookup.discard();
    },
  };
}
