import { type AnyElysia, Elysia } from "elysia";
import { errorCode } from "../../db/errors.ts";
import { featureRoutes } from "../app.ts";
import { Problem } from "../core/errors.ts";
import { describeError, OperatorError } from "../core/settings/operator-error.ts";
import { Tenant } from "../core/tenant/tenant.ts";
import { operatorExportRoutes } from "../exports/routes.ts";
import { importRoutes } from "../imports/routes.ts";
import { type Log, stackOf } from "../log.ts";
import { type Organization, requireOrganization } from "../organizations/store.ts";
import { version } from "../version.ts";
import { repairRoutes } from "./repair-routes.ts";
import {
  type OperatorServices,
  operationOf,
  organizationHeader,
  probeUrl,
  versionHeader,
} from "./request.ts";
import { operatorRoutes } from "./routes.ts";

/** The context of a request: one object, which Elysia passes to the hooks and the handler. */
type GuardContext = {
  request: Request;
  set: { headers: Record<string, string | number | undefined> };
  organization?: Organization;
  tenant?: Tenant;
  reportStreamError?: (error: unknown) => void;
};

/**
 * The routes of the API and of the operator, for commands: in the server over its Unix socket, or in the process of the
 * command. A header has the organization; the caller is the command line. An error is `{"error":{"code","message"}}`.
 */
export function createOperatorApp(services: OperatorServices) {
  const { engine, reactions, log } = services;
  const tenantServices = { engine, reactions, runJob: () => Promise.resolve() };

  async function guard(context: GuardContext): Promise<object | undefined> {
    const { request, set } = context;
    set.headers["content-type"] = "application/json";
    if (request.url === probeUrl) return {};
    if (request.headers.get(versionHeader) !== version) throw otherVersion();
    context.reportStreamError = (error) => logFailure(log, request, error);
    const nameOrId = request.headers.get(organizationHeader);
    if (nameOrId === null) return undefined;
    const organization = await requireOrganization(engine, decodeURIComponent(nameOrId));
    const caller = { organizationId: organization.id, actor: { type: "cli" as const }, requestId: null };
    context.organization = organization;
    context.tenant = new Tenant(tenantServices, caller);
    return undefined;
  }

  const app = new Elysia({ strictPath: true, normalize: false, handler: { standardHostname: false } })
    .onError({ as: "global" }, ({ error, request, set }) => {
      const cause = causeOf(error);
      logFailure(log, request, cause);
      set.status = 400;
      set.headers["content-type"] = "application/json";
      return { error: describeError(cause) };
    })
    .onRequest(guard)
    .use(operatorRoutes(services))
    .use(repairRoutes(services))
    .use(importRoutes)
    .use(operatorExportRoutes);
  for (const routes of featureRoutes) app.use(routes as AnyElysia);
  return app;
}

/** The error to report: Elysia's own errors are of requests that no command of this version sends. */
function causeOf(error: unknown): unknown {
  const code = errorCode(error);
  if (code === "PARSE" && error instanceof Error && error.cause) return error.cause;
  if (error instanceof Problem && error.code === "attribute_values_conflict")
    return new OperatorError(error.code, describeConflict(error));
  const isUnknown = code === "NOT_FOUND" || code === "VALIDATION" || code === "PARSE";
  return isUnknown ? otherVersion() : error;
}

/** Which values prevent the type, and what to do. */
function describeConflict({ message, errors }: Problem): string {
  return [message, ...errors.map(({ detail }) => `The type ${detail}.`)].join(" ");
}

/** An OperatorError, such as `name_taken`, is no fault of the server. The path of a request has no names and keys. */
function logFailure(log: Log, request: Request, error: unknown): void {
  const { code } = describeError(error);
  const stack = code === "internal_error" ? stackOf(error) : undefined;
  // What is sent to an unknown route is not repeated.
  const operation = code === "unsupported_operation" ? null : operationOf(request);
  log[error instanceof OperatorError ? "info" : "error"]("admin_operation_failed", {
    operation,
    code,
    stack,
  });
}

function otherVersion(): OperatorError {
  return new OperatorError(
    "unsupported_operation",
    "The running server is of another version of accountd. Restart it, or use its version.",
  );
}
