import "./production.ts";
import { type AnyElysia, Elysia } from "elysia";
import type { Engine } from "../db/engine.ts";
import { accountBatchRoutes } from "./account-batches/routes.ts";
import { accountOperations, accountRoutes } from "./accounts/routes.ts";
import { createAuthenticator } from "./api-keys/authenticator.ts";
import { keyRoutes } from "./api-keys/routes.ts";
import { type ConsoleSessions, sessionRoutes } from "./api-keys/session-routes.ts";
import { beginSession, endSession, endSessionsOfKey, findSession } from "./api-keys/sessions.ts";
import { attributeRoutes } from "./attributes/routes.ts";
import { ChangeShape } from "./changes/model.ts";
import { changeRoutes } from "./changes/routes.ts";
import { changeStreamRoutes } from "./changes/stream-routes.ts";
import { consoleRoutes, createSendMissingPage } from "./console/routes.ts";
import { contactUserRoutes } from "./contacts/routes.ts";
import { Followers } from "./core/changes/followers.ts";
import type { TenantServices } from "./core/tenant/tenant.ts";
import { erasureRoutes } from "./erasures/routes.ts";
import { eventListRoutes, eventRoutes } from "./events/routes.ts";
import { eventExportRoutes } from "./exports/event-routes.ts";
import { exportRoutes } from "./exports/routes.ts";
import { healthRoutes } from "./health-scores/routes.ts";
import { healthSettingsRoutes } from "./health-scores/settings-routes.ts";
import { batchRoutes } from "./http/batch/batch-routes.ts";
import type { ByteBudget } from "./http/byte-budget.ts";
import { type Admit, createAdmission, type LimitSettings } from "./http/guard/admission.ts";
import { createRequestGuard } from "./http/guard/guard.ts";
import { documentationRoutes } from "./http/openapi/documentation.ts";
import { openApiDocument } from "./http/openapi/openapi.ts";
import { probeRoutes, type StoreState } from "./http/probes.ts";
import { createErrorHandler, createErrorReporter } from "./http/replies/error-handler.ts";
import { createReplyWriter } from "./http/replies/large-replies.ts";
import { createSubResourceRoutes } from "./http/resource/sub-resource-routes.ts";
import { browserRoutes, ingestRoutes } from "./ingest/routes.ts";
import type { Jobs } from "./jobs/jobs.ts";
import { lastSeenRoutes } from "./last-seen/routes.ts";
import type { Log } from "./log.ts";
import { organizationRoutes } from "./organizations/routes.ts";
import { reactions as allReactions } from "./reactions.ts";
import { subResourceShapes } from "./resource-shapes.ts";
import { ofSubResources } from "./resources.ts";
import type { JsonObject } from "./shared/json.ts";
import { resourceOf } from "./shared/resources.ts";
import { usageRoutes } from "./usage/routes.ts";
import { deliveryRoutes } from "./webhooks/delivery-routes.ts";
import { webhookRoutes } from "./webhooks/routes.ts";
import { createWebhookRules, type WebhookRules } from "./webhooks/send/address-rules.ts";

export type AppOptions = {
  engine: Engine;
  jobs: Jobs;
  log: Log;
  /** Of the requests that wait for changes. Stop them before the server. */
  followers?: Followers;
  /** Where webhooks may be sent to. Default: public addresses. */
  webhookRules?: WebhookRules;
  /** Stores erasures for restores of backups. Default: they are not stored. */
  recordErasure?: TenantServices["recordErasure"];
  /** Limits the bodies of requests that run in its `run`. */
  budget?: ByteBudget;
  /** Default: no limits. */
  limits?: LimitSettings;
  /** Whether the console is served. Default: true. */
  hasConsole?: boolean | undefined;
  /** Whether the console loads the logos of accounts from other servers. Default: true. */
  hasConsoleLogos?: boolean | undefined;
  /** Whether a client sent its request over TLS. Default: whether its URL is https. */
  isOverTls?: ((request: Request) => boolean) | undefined;
  /** The origin that a client sent its request to. Default: the origin of its URL. */
  originOf?: (request: Request) => string;
  /** Whether writes work. Default: they do. */
  storeState?: () => StoreState;
  /** When the last backup of the server failed, in milliseconds since 1970 UTC. Default: none did. */
  backupFailedAt?: () => number | undefined;
  /** Default: all. A test can leave one out. */
  reactions?: typeof allReactions;
};

const subResourceRoutes = ofSubResources((plural, { list, store }) => {
  const { noun, title } = resourceOf(plural);
  return createSubResourceRoutes({ plural, noun, title, shapes: subResourceShapes[plural], list, store });
});

const batchOperations = [
  ...accountOperations,
  ...Object.values(subResourceRoutes).flatMap(({ operations }) => operations),
];

const { contacts: contactRoutes, ...otherRoutes } = subResourceRoutes;
export const featureRoutes = [
  accountRoutes,
  accountBatchRoutes,
  exportRoutes,
  eventExportRoutes,
  contactRoutes.routes,
  contactUserRoutes,
  attributeRoutes,
  ...Object.values(otherRoutes).map(({ routes }) => routes),
  eventRoutes,
  eventListRoutes,
  ingestRoutes,
  browserRoutes,
  usageRoutes,
  lastSeenRoutes,
  healthRoutes,
  healthSettingsRoutes,
  changeStreamRoutes,
  changeRoutes,
  batchRoutes(batchOperations),
  erasureRoutes,
  organizationRoutes,
  keyRoutes,
  deliveryRoutes,
] as const;

/** The routes of all features, for a description: they cannot send to webhooks. */
export const describedRoutes = [
  ...featureRoutes,
  webhookRoutes(() => {
    throw new Error("a description needs no rules");
  }),
] as const;

/** The OpenAPI document of the service, as `/docs/json` serves it, without `servers`. */
export function describeApp(): JsonObject {
  return openApiDocument(
    ChangeShape,
    ...describedRoutes,
    probeRoutes(async () => {}),
  );
}

/** What the routes depend on. */
export type AppServices = {
  ping: () => Promise<void>;
  storeState: () => StoreState;
  admit: Admit;
  log: Log;
  budget: ByteBudget | undefined;
  webhookRules: () => WebhookRules;
  originOf: (request: Request) => string;
  /** Undefined when the console is off. */
  console: ConsoleServices | undefined;
};
type ConsoleServices = {
  sessions: ConsoleSessions;
  isOverTls: (request: Request) => boolean;
  hasLogos: boolean;
  backupFailedAt: () => number | undefined;
};

export function createAppServices({
  engine,
  jobs,
  log,
  followers = new Followers(engine),
  webhookRules = publicOnly(engine),
  recordErasure,
  budget,
  limits,
  hasConsole = true,
  hasConsoleLogos = true,
  isOverTls = ({ url }) => url.startsWith("https:"),
  originOf = ({ url }) => new URL(url).origin,
  storeState = () => "ok",
  backupFailedAt = () => undefined,
  reactions = allReactions,
}: AppOptions): AppServices {
  const services = { engine, reactions, runJob: jobs.runJob, followers, recordErasure };
  const authenticate = createAuthenticator(services, log, limits?.rateLimit);
  return {
    ping: () => engine.ping(),
    storeState,
    admit: createAdmission(authenticate, limits),
    log,
    budget,
    webhookRules: () => webhookRules,
    originOf,
    console: hasConsole
      ? { sessions: sessionsOf(engine), isOverTls, hasLogos: hasConsoleLogos, backupFailedAt }
      : undefined,
  };
}

function publicOnly({ clock }: Engine): WebhookRules {
  const networks = { check: () => false };
  return createWebhookRules({ isInsecure: false, networks, clock: () => clock.wallTime() });
}

function sessionsOf(engine: Engine): ConsoleSessions {
  return {
    begin: (credential) => beginSession(engine, credential),
    find: (token) => findSession(engine, token),
    end: (token) => endSession(engine, token),
    endAll: ({ key }) => endSessionsOfKey(engine, key),
  };
}

/** The service as an Elysia app. It does not listen: pass its `fetch` to a server or call `handle`. */
export function createApp(options: AppOptions) {
  return composeApp(createAppServices(options));
}

/** Composes the app. Tests reuse it, because compiling its routes takes longer than most requests. */
export function composeApp(services: AppServices) {
  const { ping, storeState, admit, log, budget, webhookRules, originOf, console } = services;
  const probes = probeRoutes(ping, storeState);
  const groups = [...featureRoutes, webhookRoutes(webhookRules)];
  const reportError = createErrorReporter(log);
  const consoleAccess = console && {
    isOverTls: console.isOverTls,
    sendMissingPage: createSendMissingPage(console),
  };
  const guard = createRequestGuard(() => app.routes, { admit, budget, consoleAccess, reportError });
  // Without `standardHostname: false`, Elysia finds a wrong path for a Host of one letter.
  const app = new Elysia({ strictPath: true, normalize: false, handler: { standardHostname: false } })
    .onError({ as: "global" }, createErrorHandler(reportError))
    .onRequest(guard)
    .mapResponse({ as: "global" }, createReplyWriter(budget))
    .use(probes)
    .use(
      documentationRoutes(
        { home: console ? "/console" : "/docs", originOf, change: ChangeShape },
        ...groups,
        probes,
      ),
    );
  // Each group at once: a group in a group would add its routes twice.
  for (const routes of groups) app.use(routes as AnyElysia);
  if (console) app.use(consoleRoutes(console)).use(sessionRoutes({ admit, ...console }));
  return app;
}
