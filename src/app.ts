import "./production.ts";
import { Elysia } from "elysia";
import type { Engine } from "../db/sqlite/engine.ts";
import { accountRoutes } from "./accounts/routes.ts";
import { contactRoutes } from "./contacts/routes.ts";
import { eventRoutes, segmentRoutes, unmatchedRoutes } from "./events/routes.ts";
import { featureRequestRoutes } from "./feature-requests/routes.ts";
import { healthRoutes } from "./health-scores/routes.ts";
import { authentication } from "./http/authentication.ts";
import type { ClientApp } from "./http/client-type.ts";
import { documentationRoutes } from "./http/documentation.ts";
import { errorHandler } from "./http/error-handler.ts";
import { requestGuard } from "./http/guard.ts";
import { openApiDocument } from "./http/openapi.ts";
import { probeRoutes } from "./http/probes.ts";
import { lastSeenRoutes } from "./last-seen/routes.ts";
import type { Log } from "./log.ts";
import { meetingRoutes } from "./meetings/routes.ts";
import { usageRoutes } from "./usage/routes.ts";

export type AppOptions = {
  store: Engine;
  /** The present time in milliseconds since 1970 UTC. */
  clock: () => number;
  log: Log;
};

/** Every route that is about the business. */
export const featureRoutes = new Elysia()
  .use(accountRoutes)
  .use(contactRoutes)
  .use(meetingRoutes)
  .use(featureRequestRoutes)
  .use(eventRoutes)
  .use(unmatchedRoutes)
  .use(segmentRoutes)
  .use(usageRoutes)
  .use(lastSeenRoutes)
  .use(healthRoutes);

/** The OpenAPI document of the service, as /docs/json has it. */
export function describeApp(): Promise<object> {
  return openApiDocument(
    featureRoutes,
    probeRoutes(async () => {}),
  );
}

/** Puts the service together. It does not listen: give its `fetch` to a server, or call `handle`. */
export function createApp({ store, clock, log }: AppOptions) {
  const probes = probeRoutes(() => store.ping());
  const enter = requestGuard(() => app.routes, authentication(store, clock, log));
  // `standardHostname`: a Host of one letter is a name too, and must not move where the path begins.
  const app = new Elysia({ strictPath: true, normalize: false, handler: { standardHostname: false } })
    .onError({ as: "global" }, errorHandler(log))
    .onRequest(enter)
    .use(probes)
    .use(documentationRoutes(featureRoutes, probes))
    .use(featureRoutes);
  return app;
}

/**
 * For typed clients: `treaty<App>(url, { parseDate: false })` of @elysiajs/eden. By default it makes a Date of
 * every text that looks like one, names included, where the types have strings.
 */
export type App = ClientApp<ReturnType<typeof createApp>>;
