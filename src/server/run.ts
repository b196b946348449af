import type { Server } from "bun";
import type { Engine } from "../../db/engine.ts";
import { pollMilliseconds } from "../../db/timer.ts";
import { createApp } from "../app.ts";
import { hasTracing, type ServerConfig } from "../config.ts";
import { Followers } from "../core/changes/followers.ts";
import { LoggedError } from "../core/settings/operator-error.ts";
import { ByteBudget } from "../http/byte-budget.ts";
import { createFetch } from "../http/create-fetch.ts";
import type { Fetch } from "../http/fetch.ts";
import type { LimitSettings } from "../http/guard/admission.ts";
import { withCors } from "../http/guard/cors.ts";
import { startDeliveries } from "../jobs/deliveries.ts";
import { createJobs } from "../jobs/jobs.ts";
import { runDueJobs, startJobs } from "../jobs/scheduler.ts";
import { createLog, oncePerMinute } from "../log.ts";
import { createOperatorApp } from "../operator/app.ts";
import { reactions } from "../reactions.ts";
import { version } from "../version.ts";
import { createWebhookRules } from "../webhooks/send/address-rules.ts";
import { createAccessLog } from "./access-log.ts";
import { addressOf, clientOf, isOverTls, originOf } from "./address-of.ts";
import { type RunningBackups, startBackups } from "./backups.ts";
import { createErasureLog } from "./erasure-log.ts";
import { createFailureLog } from "./failure-log.ts";
import { createKeepAlive, limitAcceptRate, listen, urlOf } from "./listen.ts";
import { writeBounded } from "./log-output.ts";
import { openStorage } from "./open-storage.ts";
import { openOperatorSocket } from "./operator-socket.ts";
import { serveMetrics } from "./serve-metrics.ts";
import { drain, watchProcess } from "./shutdown.ts";
import { monitorStore } from "./store-monitor.ts";

/** The mean delay of the rejection of a large body. */
const rejectionDelayMilliseconds = 1_000;

type ServerOptions = {
  config: ServerConfig;
  /** The present time in milliseconds since 1970 UTC. */
  clock: () => number;
  /** Called with the address as soon as requests are answered. */
  onReady: (url: string, engine: Engine) => Promise<void>;
  /** As for `openDatabase`: called before the database is changed and before requests are answered. */
  checkOrganizations?: (foldedNames: string[]) => void;
};

/**
 * Serves until a stop is requested; resolves when every request is answered and the database is closed, or at once
 * while the database is being opened. Throws when the database or the address cannot be used, and LoggedError after
 * an uncaught error.
 */
export async function runServer({
  config,
  clock,
  onReady,
  checkOrganizations,
}: ServerOptions): Promise<void> {
  const write = writeBounded(process.stderr, {
    onLineDropped: () => metrics?.onLineDropped(),
    onContinued: (count) => log.error("log_lines_dropped", { count }),
  });
  const log = createLog(write, {
    clock,
    level: config.logLevel,
    isTerminal: process.stderr.isTTY,
  });
  const { stopRequested, hasFailed } = watchProcess(log);
  // Loaded when they are served: the module would slow down every start.
  const metricsAddress = config.metrics === "off" ? undefined : config.metrics;
  const metrics = metricsAddress && (await import("./metrics.ts")).createMetrics();
  const tracing = hasTracing() ? (await import("./tracing.ts")).createTracing(clock, log) : undefined;
  const opening = openStorage({ config, clock, log, onCommit: metrics?.onCommit, checkOrganizations });
  const opened = await Promise.race([opening, stopRequested]);
  if (!("engine" in opened)) {
    log.info("stopping", opened);
    // The wait for a server, a lock or a migration may be long: the process exits without it.
    opening.then(({ engine }) => engine.close()).catch(() => {});
    log.info("stopped");
    return throwAfterFailure();
  }
  const { database, file } = opened;
  const store = monitorStore(opened.engine, { log });
  const { engine } = store;
  const closeListeners: (() => Promise<void>)[] = [async () => store.stop()];
  let stopJobs = async (): Promise<void> => {};
  let stopDeliveries = async (): Promise<void> => {};
  let endAcceptLimit = () => {};
  let backups: RunningBackups | undefined;
  try {
    const { eventDays, changeDays, backupFolder } = config;
    const onEraseBlocked = oncePerMinute((organizationId: number) =>
      log.error("erasure_pending", {
        organizationId,
        detail: "Another program reads the file, so that what deleted rows left in it is not erased yet.",
      }),
    );
    const jobs = createJobs({ engine, reactions, eventDays, changeDays, onEraseBlocked });
    const runJobs = () => runDueJobs({ engine, jobs });
    const followers = new Followers(engine);
    const webhookRules = createWebhookRules({
      isInsecure: config.hasInsecureWebhooks,
      networks: config.webhookNetworks,
      clock,
    });
    const budget = new ByteBudget(config.maxWaitingBytes);
    const limits: LimitSettings = {
      rateLimit: config.rateLimit,
      authFailureLimit: config.authFailureLimit,
      addressOf: (request) => addressOf(server, request, config.trustedProxies),
      onFailure: config.hasFailureLog
        ? createFailureLog(log, (request) => clientOf(server, request, config.trustedProxies))
        : undefined,
    };
    const app = createApp({
      engine,
      jobs,
      log,
      followers,
      webhookRules,
      recordErasure: backupFolder === "" ? undefined : createErasureLog(backupFolder, clock),
      budget,
      limits,
      hasConsole: config.hasConsole,
      hasConsoleLogos: config.hasConsoleLogos,
      isOverTls: (request) => isOverTls(server, request, config.trustedProxies),
      originOf: (request) => originOf(server, request, config.trustedProxies),
      storeState: store.state,
      backupFailedAt: () => backups?.failedAt(),
    });
    const keepAlive = createKeepAlive(config.keepAliveSeconds);
    closeListeners.push(async () => keepAlive.stop());
    const client = (request: Request) => clientOf(server, request, config.trustedProxies);
    const listeners = [
      ...(metrics ? [metrics.onReply] : []),
      ...(tracing ? [tracing.onReply] : []),
      ...(config.hasAccessLog ? [createAccessLog({ routes: app.routes, log, clientOf: client })] : []),
    ];
    const fetch = createFetch(withCors(app.fetch, config.corsOrigins), {
      budget,
      delayMilliseconds: rejectionDelayMilliseconds,
      recording:
        listeners.length > 0
          ? { listeners, isTimed: config.hasAccessLog || tracing !== undefined }
          : undefined,
    });
    const server: Server<undefined> = listen(config, fetch, { keepAliveSeconds: keepAlive.seconds });
    closeListeners.push(() => stopDeliveries());
    closeListeners.push(() => {
      // `server.stop` waits for open streams.
      followers.stop();
      return drain(server);
    });
    endAcceptLimit = limitAcceptRate(log);
    const url = urlOf(server);
    // Made at the first command: it has all routes once more.
    let operator: Fetch | undefined;
    const answerCommand: Fetch = (request) => {
      const consoleUrl = config.hasConsole ? url : null;
      operator ??= createOperatorApp({ engine, reactions, log, runDueJobs: runJobs, consoleUrl }).fetch;
      return operator(request);
    };
    if (file !== undefined) closeListeners.push(openOperatorSocket(file, answerCommand, log));
    if (file !== undefined && backupFolder !== "") backups = startBackups({ ...config, file, log, clock });
    closeListeners.push(async () => backups?.stop());
    const served =
      metrics &&
      metricsAddress &&
      serveMetrics(metrics, metricsAddress, {
        ...{ engine, file, followers, storeState: store.state, backups, clock },
      });
    if (served) closeListeners.push(served.stop);
    // The first replies do not wait for the first round.
    const timeout = setTimeout(() => {
      stopJobs = startJobs({ engine, jobs, log });
      stopDeliveries = startDeliveries({ engine, jobs, followers, rules: webhookRules, log });
    }, pollMilliseconds);
    closeListeners.push(async () => clearTimeout(timeout));
    log.info("started", { version, url, database, ...(served && { metrics: served.url }) });
    await onReady(url, engine);
    log.info("stopping", await stopRequested);
  } finally {
    endAcceptLimit();
    await Promise.all(closeListeners.map((close) => close()));
    await tracing?.stop();
    // At the same time: a step that waits for a lock ends when the engine closes.
    await Promise.all([stopJobs(), engine.close()]);
  }
  log.info("stopped");
  throwAfterFailure();

  function throwAfterFailure(): void {
    if (hasFailed()) throw new LoggedError("the process stopped after an uncaught error");
  }
}
