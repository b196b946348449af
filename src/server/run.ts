import { existsSync } from "node:fs";
import type { Engine } from "../../db/engine.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { createApp } from "../app.ts";
import type { ServerConfig } from "../config.ts";
import { fold } from "../core/folding.ts";
import { LoggedError } from "../core/operator-error.ts";
import { createJobs } from "../jobs/jobs.ts";
import { startJobs } from "../jobs/scheduler.ts";
import { jsonLog } from "../log.ts";
import { reactions } from "../reactions.ts";
import { version } from "../version.ts";
import { withAccessLog } from "./access-log.ts";
import { type AdminSocket, openAdminSocket } from "./admin-socket.ts";
import { checkAddress, listen, urlOf } from "./listen.ts";
import { drain, watchProcess } from "./shutdown.ts";

export type ServerOptions = {
  config: ServerConfig;
  /** The present time in milliseconds since 1970 UTC. */
  clock: () => number;
  /** Called with the address as soon as requests are answered. */
  onReady: (url: string, engine: Engine) => Promise<void>;
};

/**
 * Serves until a stop is requested; resolves when every request is answered and the database is closed. Throws when
 * the database or the address cannot be used, and LoggedError after an uncaught error.
 */
export async function runServer({ config, clock, onReady }: ServerOptions): Promise<void> {
  const log = jsonLog((line) => process.stderr.write(line), clock);
  const { stopRequested, hasFailed } = watchProcess(log);
  // An address that cannot be used must not leave a new database.
  if (!existsSync(config.database)) await checkAddress(config);
  const engine = openDatabase(config.database, {
    clock,
    create: true,
    exclusive: true,
    fold,
    upgraded: (migrations, copy) => log.info("migrated", { migrations, copy }),
    onDamage: () =>
      log.error("database_damaged", {
        database: config.database,
        detail: "Writes are refused until a restart. Stop the server, run accountd check, restore a backup.",
      }),
  });
  let stopJobs = async (): Promise<void> => {};
  let admin: AdminSocket | undefined;
  try {
    const { eventDays, changeDays } = config;
    const jobs = createJobs({ engine, reactions, eventDays, changeDays });
    const app = createApp({ engine, jobs, log });
    const server = listen(config, config.logRequests ? withAccessLog(app.fetch, app.routes, log) : app.fetch);
    admin = openAdminSocket(config.database, { engine, log });
    const url = urlOf(server);
    stopJobs = startJobs({ engine, jobs, log });
    log.info("started", { version, url, database: config.database });
    await onReady(url, engine);
    log.info("stopping", await stopRequested);
    await Promise.all([drain(server), admin?.close()]);
  } finally {
    await admin?.close();
    await stopJobs();
    await engine.close();
  }
  log.info("stopped");
  if (hasFailed()) throw new LoggedError("the process stopped after an uncaught error");
}
