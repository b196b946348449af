import { Elysia } from "elysia";
import { unauthorized } from "../../core/errors.ts";
import type { Credential } from "../../core/tenant/credential.ts";
import { requireScope } from "../../core/tenant/scopes.ts";
import type { Tenant } from "../../core/tenant/tenant.ts";
import { noOrganization, takeTurn } from "../../core/turns.ts";
import { assertNothingFollows } from "../body/body.ts";
import type { ByteBudget, Reservation } from "../byte-budget.ts";
import type { ReportError } from "../replies/error-handler.ts";
import { recordOf } from "../request-record.ts";
import { type IdempotentRequest, type RunningKeys, readIdempotencyKey } from "../resource/idempotency.ts";
import type { Admit, ReplyHeaders } from "./admission.ts";
import { isConsolePath } from "./console-paths.ts";
import { checkQuery, pathOf } from "./request-line.ts";
import {
  isApiPath,
  isIngestPath,
  probePaths,
  publicPaths,
  type Route,
  type RouteMatch,
  RouteTable,
} from "./route-table.ts";
import { assertKeyOfSession, readSessionToken } from "./session-cookie.ts";

/** The context of a request: one object, which Elysia passes to `onRequest`, `derive` and the handler. */
type RequestContext = {
  request: Request;
  set: { status?: number | string; headers: ReplyHeaders };
  requestId?: string;
  /** Elysia parses the query of this address. */
  url?: string;
  /** The parameters that were sent with another name than the document has. */
  sentNames?: ReadonlyMap<string, string>;
  tenant?: Tenant;
  reservation?: Reservation | undefined;
  /** Set for a write with an Idempotency-Key. */
  idempotency?: IdempotentRequest | undefined;
  /** Set instead of `tenant` when the key may be in the body, which is not read yet. Sets and returns the tenant. */
  authenticateBody?: (writeKey: string) => Promise<Tenant>;
  /** Logs an error after the reply began. */
  reportStreamError?: (error: unknown) => void;
};

/** Returns the console's document with status 404 if the request accepts HTML; its script shows "Page not found". */
export type SendMissingPage = (
  context: Pick<RequestContext, "request" | "set">,
) => Promise<string | undefined>;
type ConsoleAccess = { isOverTls: (request: Request) => boolean; sendMissingPage: SendMissingPage };

type GuardServices = {
  admit: Admit;
  budget: ByteBudget | undefined;
  consoleAccess: ConsoleAccess | undefined;
  reportError: ReportError;
};

type DerivedContext = { request: Request } & Pick<
  RequestContext,
  "tenant" | "idempotency" | "reportStreamError"
>;

/**
 * The checks before any route, from the request line and headers only: Host and URL (400), path (404), method (405),
 * key (401), limit (429), scope (403), query (400). The body is not read.
 */
export function createRequestGuard(
  routes: () => readonly Route[],
  { admit, budget, consoleAccess, reportError }: GuardServices,
) {
  let table: RouteTable | undefined;
  const runningKeys: RunningKeys = new Set();

  // Elysia parses the cookies and headers of every request if the context is passed to a function here.
  return async (context: RequestContext): Promise<string | undefined> => {
    const { request, set } = context;
    const requestId = requestIdOf(request.headers);
    context.requestId = requestId;
    context.reportStreamError = (error) => reportError(error, request, requestId);
    set.headers["x-request-id"] = requestId;
    set.headers["x-content-type-options"] = "nosniff";
    set.headers["cache-control"] = "no-store";
    set.headers["content-type"] = "application/json";
    set.headers.vary = "accept-encoding";
    const path = pathOf(request);
    table ??= new RouteTable(routes());
    if (consoleAccess && isRead(request) && isConsolePath(path) && !table.has(path)) {
      const page = await consoleAccess.sendMissingPage({ request, set });
      if (page !== undefined) return page;
    }
    const route = table.find(request.method, path);
    const record = recordOf(request);
    if (record) record.route = route.pattern;
    context.reservation = budget?.reservationOf(request);
    if (publicPaths.has(route.pattern)) {
      if (!probePaths.has(route.pattern)) await takeTurn(noOrganization);
      return undefined;
    }
    const credential = readCredential(request, route, consoleAccess);
    const admission = { request, requestId, headers: set.headers };
    if (credential.secret === "" && isIngestPath(route.pattern))
      context.authenticateBody = async (secret) => {
        context.tenant = authorized(await admit({ kind: "key", secret }, admission), route);
        return context.tenant;
      };
    else {
      const tenant = await admit(credential, admission);
      const { actor } = tenant.caller;
      if (credential.kind === "session" && actor.type === "key")
        assertKeyOfSession(request.headers, actor.id);
      context.tenant = authorized(tenant, route);
      if (budget) tenant.hasRoom = () => budget.hasRoom(tenant.organizationId);
      if (context.reservation) context.reservation.owner = context.tenant.organizationId;
    }
    const rewritten = checkQuery(request, route);
    if (rewritten) {
      context.url = `${request.url.slice(0, request.url.indexOf("?") + 1)}${rewritten.query}`;
      context.sentNames = rewritten.sentNames;
    }
    if (!isRead(request)) context.idempotency = readIdempotencyKey(request, runningKeys);
    if (request.method === "DELETE") await assertNothingFollows(request);
    // The reader of a body takes the turn after the body: Bun stores what arrives of it while the request waits.
    else if (!isRead(request)) return undefined;
    if (context.tenant) await takeTurn(context.tenant.organizationId);
    return undefined;
  };
}

/** A group of routes whose handlers get the caller's `tenant`. A request without one is `unauthorized`. */
export function tenantRoutes<const P extends string>(prefix: P) {
  return new Elysia({ prefix, strictPath: true, normalize: false }).derive(
    ({ tenant, idempotency, reportStreamError = () => {} }: DerivedContext) => ({
      tenant: tenant ?? reject(),
      idempotency,
      reportStreamError,
    }),
  );
}

/** The tenant, if its key has the scope of the route. Throws `insufficient_scope`. */
function authorized(tenant: Tenant, { scope, pattern }: RouteMatch): Tenant {
  if (scope === undefined) throw new Error(`the route ${pattern} has no scope`);
  if (scope !== "any") requireScope(tenant.caller, scope);
  return tenant;
}

/** The key in the headers or, without one, the session in the cookie of a request of the console to the API. */
function readCredential(
  request: Request,
  { pattern }: RouteMatch,
  consoleAccess: ConsoleAccess | undefined,
): Credential {
  const secret = readSecret(request.headers);
  if (secret !== "" || !consoleAccess || !isApiPath(pattern)) return { kind: "key", secret };
  return { kind: "session", secret: readSessionToken(request.headers, consoleAccess.isOverTls(request)) };
}

/** The key in a request's headers; empty when there is none. */
function readSecret(headers: Headers): string {
  const key = headers.get("x-api-key");
  if (key !== null) return key;
  const [scheme = "", credentials = ""] = (headers.get("authorization") ?? "").split(/ +/, 2);
  if (scheme.toLowerCase() === "bearer") return credentials;
  if (scheme.toLowerCase() === "basic")
    return Buffer.from(credentials, "base64").toString().split(":")[0] ?? "";
  return "";
}

function isRead({ method }: Request): boolean {
  return method === "GET" || method === "HEAD";
}

function reject(): never {
  throw unauthorized();
}

function requestIdOf(headers: Headers): string {
  const header = headers.get("x-request-id");
  // A key that was sent in this header by mistake is neither repeated nor logged.
  const isUsable = header !== null && /^[A-Za-z0-9._-]{1,64}$/.test(header) && !/ak_/i.test(header);
  return isUsable ? header : crypto.randomUUID();
}
