import { type AppServices, composeApp } from "../../src/app.ts";

type App = ReturnType<typeof composeApp>;
/** An app whose services can be replaced. */
type SharedApp = { app: App; services: AppServices };

const idle: SharedApp[] = [];

/**
 * An app of these services, which no other world uses until `release`. Apps with a console of all options and without a budget are reused with
 * their compiled routes. Authentication, which has state, belongs to the services.
 */
export function borrowApp(services: AppServices): { app: App; release: () => void } {
  if (services.budget || !services.console?.hasLogos) return { app: composeApp(services), release: () => {} };
  const shared = idle.pop() ?? compose(services);
  shared.services = services;
  return { app: shared.app, release: () => void idle.push(shared) };
}

function compose(initial: AppServices): SharedApp {
  const app = composeApp({
    ping: () => shared.services.ping(),
    admit: (credential, admission) => shared.services.admit(credential, admission),
    log: {
      info: (event, fields) => shared.services.log.info(event, fields),
      error: (event, fields) => shared.services.log.error(event, fields),
    },
    budget: undefined,
    webhookRules: () => shared.services.webhookRules(),
    storeState: () => shared.services.storeState(),
    originOf: (request) => shared.services.originOf(request),
    console: initial.console && {
      sessions: {
        begin: (credential) => consoleOf(shared).sessions.begin(credential),
        find: (token) => consoleOf(shared).sessions.find(token),
        end: (token) => consoleOf(shared).sessions.end(token),
        endAll: (session) => consoleOf(shared).sessions.endAll(session),
      },
      isOverTls: (request) => consoleOf(shared).isOverTls(request),
      hasLogos: true,
      backupFailedAt: () => consoleOf(shared).backupFailedAt(),
    },
  });
  const shared: SharedApp = { app, services: initial };
  return shared;
}

function consoleOf({ services }: SharedApp) {
  if (!services.console) throw new Error("an app without a console is not shared");
  return services.console;
}
