import type { SQL } from "bun";
import { type ClockOptions, minJumpMilliseconds, ServiceClock, TransactionClock } from "../clock.ts";
import { type ClockGap, gapAt, insertGapSql, lastGapSql, newestTimeSql } from "../clock-gaps.ts";
import type { Engine, Snapshot, WriteListener } from "../engine.ts";
import { EngineBusy } from "../errors.ts";
import type { Migration } from "../migration.ts";
import { requestTimeoutMilliseconds } from "../timer.ts";
import { Hosts } from "./connections/hosts.ts";
import { type PrepareOptions, prepareSchema, withSql } from "./connections/open.ts";
import { Session } from "./connections/session.ts";
import type { SessionOptions } from "./connections/session-options.ts";
import { createLease, repairLease } from "./leases.ts";
import { migrations as released } from "./migrations/list.ts";
import { Reads } from "./reads.ts";
import { WriteNotifier } from "./watching/notifier.ts";
import { RemoteWrites } from "./watching/remote-writes.ts";
import { LargeWrites } from "./writes/large-writes.ts";
import { WriteLane } from "./writes/write-lane.ts";

/** The gap in which the clock is not trusted now, after it was stored; undefined if it is trusted. */
async function readClockGap(sql: SQL, now: number): Promise<ClockGap | undefined> {
  const [last] = await sql.unsafe(lastGapSql, [String(now)]);
  const [newest] = await sql.unsafe(newestTimeSql);
  const gap = gapAt(
    now,
    newest.time === null ? null : Number(newest.time),
    last && { startedAt: Number(last.started_at), newestAt: Number(last.newest_at) },
  );
  if (gap?.startedAt === now) await sql.unsafe(insertGapSql, [String(now), String(gap.newestAt)]);
  return gap;
}

export type PostgresOptions = PrepareOptions & {
  /** The monotonic clock in milliseconds; default: the clock of the process. */
  elapsed?: () => number;
  migrations?: readonly Migration[];
  /** How long this process has the lease of the jobs after each time that it acquires it. */
  leaseSeconds?: number;
  /** How long this process goes on listening without a watcher: the next request often has one. */
  lingerMilliseconds?: number;
};

/** After this time and a slow failure, a large write does not run again. No other write waits for it. */
const maxLargeRerunMilliseconds = 15_000;

/** Opens a database. Throws UnusableDatabase when it cannot be reached or has another schema. */
export async function openPostgres(url: string, options: PostgresOptions): Promise<Engine> {
  const { onClockAhead, connections } = options;
  const aheadMilliseconds = await prepareSchema(url, options.migrations ?? released, options);
  const time = options.clock();
  if (Math.abs(aheadMilliseconds) > minJumpMilliseconds)
    options.onClockDiffers?.(time, time - aheadMilliseconds);
  // The clock of the server, if this one is ahead of it.
  const now = aheadMilliseconds > minJumpMilliseconds ? time - aheadMilliseconds : time;
  const gap = onClockAhead && (await withSql(url, (sql) => readClockGap(sql, now), connections?.prepare));
  if (gap) onClockAhead(time, gap.newestAt);
  return startEngine(url, { ...options, aheadMilliseconds, gap });
}

/**
 * Starts an engine on a database that has the schema. `aheadMilliseconds` and `gap` as in `ServiceClock`; `newSession`
 * is called for each of its connections.
 */
export function startEngine(
  url: string,
  options: PostgresOptions & Pick<ClockOptions, "aheadMilliseconds" | "gap">,
  newSession = (options: SessionOptions) => new Session(options),
): Engine {
  const { clock, elapsed, onClockJump, aheadMilliseconds, gap, lingerMilliseconds = 5_000 } = options;
  const { readConnections = 8, writeLanes = 4, ...limits } = options.connections ?? {};
  const serviceClock = new ServiceClock({ clock, elapsed, onJump: onClockJump, aheadMilliseconds, gap });
  const transactionClock = new TransactionClock(serviceClock);
  const now = () => transactionClock.now();
  const hosts = new Hosts(url);
  const session = (applicationName?: string) => newSession({ hosts, ...limits, applicationName });
  const lookup = session();
  const reads = new Reads(
    Array.from({ length: readConnections }, () => session()),
    now,
  );
  const newLane = (maxRerunMilliseconds?: number) =>
    new WriteLane({
      session: session(),
      now: () => serviceClock.wallTime(),
      onTransaction: (time) => transactionClock.keep(time),
      onCommit: options.onCommit,
      maxRerunMilliseconds,
    });
  const lanes = Array.from({ length: writeLanes }, () => newLane());
  const large = new LargeWrites(newLane(maxLargeRerunMilliseconds));
  const jobs = createLease(lookup, "jobs", options.leaseSeconds);
  const watchers = new Map<WriteListener, () => boolean>();
  const report: WriteListener = (ids) => {
    for (const listener of watchers.keys()) listener(ids);
  };
  // A session of its own: a commit with a notification waits for the notifications of other programs of the server.
  const notifying = session("accountd notifier");
  const notifier = new WriteNotifier(notifying);
  let remote: RemoteWrites | undefined;
  let lingering: Timer | undefined;
  const stopWatching = () => {
    clearTimeout(lingering);
    remote?.close();
    remote = undefined;
  };
  /** Closes the connection of a look-up that timed out on a lock: the next one would be queued behind it. */
  const failLookUps = (error: unknown): never => {
    if (error instanceof EngineBusy) lookup.discard();
    throw error;
  };
  /** Single statements without a transaction, all on one connection. */
  const snapshotOfNow = async (): Promise<Snapshot> => {
    await lookup.connect();
    return {
      now: now(),
      first: (statement, values) => lookup.first(statement, values).catch(failLookUps),
      all: (statement, values) => lookup.all(statement, values).catch(failLookUps),
    };
  };
  const write: Engine["write"] = (organizationId, fn, writeOptions = {}) => {
    if (large.isLarge(writeOptions)) return large.push(organizationId, fn, writeOptions);
    const lane = lanes[organizationId % lanes.length];
    if (!lane) throw new Error("there is no lane for writes");
    return large.pushOther(organizationId, () => lane.push(organizationId, fn, writeOptions));
  };
  return {
    clock: serviceClock,
    now,
    read: (fn, readOptions) => reads.read(fn, readOptions),
    lookUp: async (fn) => fn(await snapshotOfNow()),
    write: async (organizationId, fn, writeOptions) => {
      const result = await write(organizationId, fn, writeOptions);
      report([organizationId]);
      notifier.add(organizationId);
      return result;
    },
    state: () => {
      const waitingCounts = [large, ...lanes].map(({ waitingCount }) => waitingCount);
      return {
        waitingWriteCount: waitingCounts.reduce((sum, count) => sum + count),
        connections: reads.state(),
      };
    },
    readSize: async () => {
      await lookup.connect();
      const [row] = await lookup.query(
        "select pg_database_size(current_database()) where cast($1 as text) is not null",
        ["1"],
      );
      return { databaseBytes: Number(row?.[0]) };
    },
    // A lane stores the number of each batch.
    probeWrite: () => write(0, async () => {}),
    ping: async () => {
      await lookup.connect();
      await lookup.query("select 1 where cast($1 as text) is not null", ["1"]);
    },
    leaseJobs: () => jobs.acquire(),
    repairs: repairLease(lookup),
    watchWrites: (listener, { isUrgent = () => true } = {}) => {
      watchers.set(listener, isUrgent);
      clearTimeout(lingering);
      if (remote && isUrgent()) remote.pollSoon();
      remote ??= new RemoteWrites({
        session: lookup,
        sessionOptions: { hosts, ...limits },
        notifier,
        report,
        isUrgent: () => watchers.values().some((isUrgentNow) => isUrgentNow()),
      });
      return () => {
        watchers.delete(listener);
        clearTimeout(lingering);
        if (watchers.size === 0) lingering = setTimeout(stopWatching, lingerMilliseconds);
      };
    },
    // VACUUM of the server does this.
    eraseDeleted: () => async () => false,
    close: async () => {
      const maxMilliseconds = limits.statementMilliseconds ?? requestTimeoutMilliseconds;
      await Promise.all([reads.close(maxMilliseconds), ...[large, ...lanes].map((lane) => lane.close())]);
      await jobs.release();
      lookup.discard();
      stopWatching();
      notifier.close();
      notifying.discard();
    },
  };
}
