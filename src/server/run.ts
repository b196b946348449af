import { existsSync } from "node:fs";
import type { Server } from "bun";
import type { Engine } from "../../db/engine.ts";
import { UnusableDatabase } from "../../db/errors.ts";
import { isServerRunning } from "../admin/running-server.ts";
import { storageOf } from "../admin/storage.ts";
import { createApp } from "../app.ts";
import type { ServerConfig } from "../config.ts";
import { fold, foldAddress } from "../core/folding.ts";
import { LoggedError } from "../core/operator-error.ts";
import { formatTimestamp } from "../core/timestamps.ts";
import { BodyBudget } from "../http/body-budget.ts";
import { compressReplies } from "../http/compress-replies.ts";
import { withCors } from "../http/cors.ts";
import { answerHead } from "../http/head-replies.ts";
import type { LimitSettings } from "../http/limits.ts";
import { acceptProbesWithoutHost } from "../http/probes.ts";
import { createJobs } from "../jobs/jobs.ts";
import { runDueJobs, startJobs } from "../jobs/scheduler.ts";
import { createJsonLog } from "../log.ts";
import { reactions } from "../reactions.ts";
import { version } from "../version.ts";
import { withAccessLog } from "./access-log.ts";
import { addressOf, isOverTls } from "./address-of.ts";
import { openAdminSocket } from "./admin-socket.ts";
import { delayRejections } from "./delayed-rejections.ts";
import { limitAcceptRate } from "./descriptors.ts";
import { createKeepAlive } from "./keep-alive.ts";
import { checkAddress, listen, urlOf } from "./listen.ts";
import { writeBounded } from "./log-output.ts";
import { drain, watchProcess } from "./shutdown.ts";

export type ServerOptions = {
  config: ServerConfig;
  /** The present time in milliseconds since 1970 UTC. */
  clock: () => number;
  /** Called with the address as soon as requests are answered. */
  onReady: (url: string, engine: Engine) => Promise<void>;
  /** As for `openDatabase`: called before the database is changed and before requests are answered. */
  checkOrganizations?: (foldedNames: string[]) => void;
};

/**
 * Serves until a stop is requested; resolves when every request is answered and the database is closed. Throws when
 * the database or the address cannot be used, and LoggedError after an uncaught error.
 */
export async function runServer({
  config,
  clock,
  onReady,
  checkOrganizations,
}: ServerOptions): Promise<void> {
  const onDropped = (count: number) => log.error("log_lines_dropped", { count });
  const log = createJsonLog(writeBounded(process.stderr, onDropped), clock);
  const { stopRequested, hasFailed } = watchProcess(log);
  const storage = await storageOf(config.database, config.connections);
  const { name: database, file } = storage;
  if (file !== undefined && (await isServerRunning(file)))
    throw new UnusableDatabase(`${database} is in use by another accountd. Stop it first.`);
  // An address that cannot be used must not leave a new database.
  if (file === undefined || !existsSync(file)) await checkAddress(config);
  const engine = await storage.open({
    clock,
    canCreate: true,
    isExclusive: true,
    fold,
    foldAddress,
    readWorkers: config.readWorkers,
    checkOrganizations,
    upgraded: (migrations, copy) => log.info("migrated", { migrations, copy }),
    onMigrationAwaited: () =>
      log.info("migration_awaited", {
        database,
        detail: "The role may not create or change the tables. Run accountd migrate as a role that may.",
      }),
    onClockJump: (milliseconds) =>
      log.error("clock_jumped", {
        seconds: Math.round(milliseconds / 1000),
        detail:
          milliseconds > 0
            ? "Retention ignores this for 24 hours. If the clock is right, run accountd jobs run --now."
            : "Timestamps and retention follow the clock. All scores are computed again.",
      }),
    onClockDiffers: (time, serverTime) =>
      log.error("clock_differs", {
        clock: formatTimestamp(time),
        databaseClock: formatTimestamp(serverTime),
        detail:
          time > serverTime
            ? "Retention follows the clock of the database for 24 hours. Correct the clocks and restart."
            : "Timestamps and retention follow the clock of this machine. Correct the clocks and restart.",
      }),
    onDamage: () =>
      log.error("database_damaged", {
        database,
        detail: "Writes are refused until a restart. Stop the server, run accountd check, restore a backup.",
      }),
  });
  const closeListeners: (() => Promise<void>)[] = [];
  let stopJobs = async (): Promise<void> => {};
  let endAcceptLimit = () => {};
  try {
    const { eventDays, changeDays } = config;
    const jobs = createJobs({ engine, reactions, eventDays, changeDays });
    const budget = new BodyBudget(config.maxWaitingBytes);
    const limits: LimitSettings = {
      rateLimit: config.rateLimit,
      authFailureLimit: config.authFailureLimit,
      addressOf: (request) => addressOf(server, request, config.trustedProxies),
    };
    const app = createApp({
      engine,
      jobs,
      log,
      budget,
      limits,
      hasConsole: config.hasConsole,
      isOverTls: (request) => isOverTls(server, request, config.trustedProxies),
    });
    const replies = answerHead(compressReplies(budget.wrap(app.fetch)));
    const fetch = withCors(delayRejections(replies), config.corsOrigins);
    const keepAlive = createKeepAlive(config.keepAliveSeconds);
    closeListeners.push(async () => keepAlive.stop());
    const server: Server<undefined> = listen(
      config,
      acceptProbesWithoutHost(config.hasAccessLog ? withAccessLog(fetch, app.routes, log) : fetch),
      { keepAliveSeconds: keepAlive.seconds },
    );
    closeListeners.push(() => drain(server));
    endAcceptLimit = limitAcceptRate(log);
    const adminContext = { engine, runDueJobs: () => runDueJobs({ engine, jobs }), log };
    const admin = file === undefined ? undefined : openAdminSocket(file, adminContext);
    if (admin) closeListeners.push(admin.close);
    const url = urlOf(server);
    stopJobs = startJobs({ engine, jobs, log });
    log.info("started", { version, url, database });
    await onReady(url, engine);
    log.info("stopping", await stopRequested);
  } finally {
    endAcceptLimit();
    await Promise.all(closeListeners.map((close) => close()));
    // At the same time: a step that waits for a lock ends when the engine closes.
    await Promise.all([stopJobs(), engine.close()]);
  }
  log.info("stopped");
  if (hasFailed()) throw new LoggedError("the process stopped after an uncaught error");
}
