import { readdirSync } from "node:fs";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Engine } from "../../db/engine.ts";
import type { CommittedBatch } from "../../db/storage.ts";
import type { Followers } from "../core/changes/followers.ts";
import { type StoreState, storeStates } from "../http/probes.ts";
import { type ReplyListener, recordedMethods } from "../http/request-record.ts";
import type { Backlog } from "../jobs/samples.ts";
import { version } from "../version.ts";
import type { RunningBackups } from "./backups.ts";

const loopIntervalMilliseconds = 100;
/** The codes of 503 problems that are limits: the server is busy. */
const busyCodes = ["too_busy", "query_timeout", "store_busy"];
const limitKinds = ["key", "address", "streams", "tests", ...busyCodes];

/** What the metrics read when they are requested. */
export type MetricSources = {
  engine: Engine;
  /** The path of a SQLite file. */
  file: string | undefined;
  followers: Followers;
  storeState: () => StoreState;
  backlog: () => Backlog | undefined;
  /** Undefined without `--backup-dir`. */
  backups: Pick<RunningBackups, "failedCount" | "newestAt"> | undefined;
  /** Milliseconds since 1970 UTC. */
  clock: () => number;
};

export type Metrics = ReturnType<typeof createMetrics>;

/** The metrics of the process. They count from now on; `watch` adds those that are read at a request. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const replyTime = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time until the response begins, by the pattern of the route (none: no route), method and status.",
    labelNames: ["route", "method", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const batchSize = new Histogram({
    name: "accountd_batch_size",
    help: "Writes in a commit.",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    registers,
  });
  const commitTime = new Histogram({
    name: "accountd_commit_seconds",
    help: "Time of a commit with its fsync; with PostgreSQL, of the transaction of a batch.",
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
    registers,
  });
  const limited = new Counter({
    name: "accountd_limited_requests_total",
    help: "Requests that a limit ended: 429 by key, address, streams, tests; 503 by code.",
    labelNames: ["kind"],
    registers,
  });
  // A rate needs a value before the first limit.
  for (const kind of limitKinds) limited.inc({ kind }, 0);
  const dropped = new Counter({
    name: "accountd_log_lines_dropped_total",
    help: "Log lines that were not written because the reader of the log was slow.",
    registers,
  });
  const loopDelay = new Histogram({
    name: "accountd_event_loop_delay_seconds",
    help: "How much later than due a timer ran, every 100 ms.",
    registers,
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
  });
  let due = performance.now() + loopIntervalMilliseconds;
  const loopTimer = setInterval(() => {
    const now = performance.now();
    loopDelay.observe(Math.max(0, now - due) / 1_000);
    due = now + loopIntervalMilliseconds;
  }, loopIntervalMilliseconds);
  loopTimer.unref();

  const onReply: ReplyListener = ({ request, response, record, milliseconds }) => {
    const { route = "none", code = "" } = record;
    const { status } = response;
    const method = recordedMethods.has(request.method) ? request.method : "other";
    replyTime.observe({ route, method, status }, milliseconds / 1_000);
    if (status === 429)
      limited.inc({ kind: record.limit ?? (code === "too_many_streams" ? "streams" : "tests") });
    else if (busyCodes.includes(code)) limited.inc({ kind: code });
  };

  return {
    registry,
    onCommit({ writeCount, milliseconds }: CommittedBatch): void {
      batchSize.observe(writeCount);
      commitTime.observe(milliseconds / 1_000);
    },
    onReply,
    onLineDropped: () => dropped.inc(),
    watch: (sources: MetricSources) => addReadings(registry, sources),
    stop: () => clearInterval(loopTimer),
  };
}

/** A gauge, or a counter if its name ends in `_total`, whose value is read at a request; undefined: it has none. */
type MetricReading = readonly [
  name: string,
  help: string,
  read: () => number | undefined | Promise<number | undefined>,
];

function addReadings(registry: Registry, sources: MetricSources): void {
  const { engine, file, followers, storeState, backlog, backups, clock } = sources;
  const registers = [registry];
  const pool = () => engine.state().connections;
  const readers = () => engine.state().readers;
  const size = () => engine.readSize().catch(() => undefined);
  const cpuSeconds = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  };
  const ageOf = (time: number) => Math.max(0, clock() - time) / 1_000;
  const oldestDelivery = () => {
    const samples = backlog();
    return samples && ageOf(samples.oldestDeliveryAt ?? clock());
  };
  const backupAge = () => {
    const at = backups?.newestAt();
    return at ? ageOf(at) : undefined;
  };
  const startedAt = (clock() - performance.now()) / 1_000;
  const sampled = "sampled by the process with the lease of the jobs, at most 10,000 of an organization.";
  const readings: MetricReading[] = [
    ["accountd_write_queue", "Writes that wait for a batch.", () => engine.state().waitingWriteCount],
    ["accountd_pool_connections", "PostgreSQL: connections for reads.", () => pool()?.totalCount],
    ["accountd_pool_busy", "PostgreSQL: connections with a read.", () => pool()?.busyCount],
    ["accountd_pool_waiting", "PostgreSQL: reads that wait for one.", () => pool()?.waitingCount],
    ["accountd_readers", "SQLite: processes for slow reads.", () => readers()?.processCount],
    ["accountd_readers_busy", "SQLite: processes with a read.", () => readers()?.busyCount],
    ["accountd_readers_waiting", "SQLite: slow reads that wait for one.", () => readers()?.waitingCount],
    [
      "accountd_readers_killed_total",
      "SQLite: processes that were killed at the time limit of a read, or after its client disconnected.",
      () => readers()?.killedCount,
    ],
    ["accountd_database_bytes", "Size of the database.", async () => (await size())?.databaseBytes],
    ["accountd_wal_bytes", "SQLite: size of the WAL.", async () => (await size())?.walBytes],
    ["accountd_streams", "Open streams and waiting requests for changes.", () => followers.callerCount],
    ["accountd_stale_scores", `Scores to compute again, ${sampled}`, () => backlog()?.staleScores],
    ["accountd_pending_events", `Events of unmatched ids, ${sampled}`, () => backlog()?.pendingEvents],
    [
      "accountd_webhook_backlog",
      `Pending deliveries of active webhooks, ${sampled}`,
      () => backlog()?.webhookDeliveries,
    ],
    ["accountd_webhook_oldest_seconds", `Age of the oldest pending delivery, ${sampled}`, oldestDelivery],
    ["accountd_backup_age_seconds", "Age of the newest backup in --backup-dir.", backupAge],
    ["accountd_backup_failures_total", "Failed backups of --backup-dir.", () => backups?.failedCount()],
    ["process_cpu_seconds_total", "Processor time.", cpuSeconds],
    ["process_resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss()],
    ["process_open_fds", "Open files.", openFileCount],
    ["process_start_time_seconds", "When the process started, in seconds since 1970 UTC.", () => startedAt],
  ];
  for (const [name, help, read] of readings) {
    const isCounter = name.endsWith("_total");
    const metric: Counter | Gauge = new (isCounter ? Counter : Gauge)({
      ...{ name, help, registers },
      async collect() {
        const value = await read();
        metric.remove();
        if (value !== undefined) metric.inc(value);
      },
    });
  }
  new Gauge({
    ...{ name: "accountd_store_state", help: "1 for the present state of writes, else 0.", registers },
    labelNames: ["state"],
    collect() {
      for (const state of storeStates) this.set({ state }, state === storeState() ? 1 : 0);
    },
  });
  new Gauge({
    ...{ name: "accountd_build_info", help: "The version and the engine.", registers },
    labelNames: ["version", "engine"],
  }).set({ version, engine: file === undefined ? "postgresql" : "sqlite" }, 1);
}

function openFileCount(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return undefined;
  }
}
