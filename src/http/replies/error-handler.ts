import type { Static } from "@sinclair/typebox";
import type { ValidationError } from "elysia";
import { DiskFull, errorCode, isBusy, isStorageFailure } from "../../../db/errors.ts";
import { Problem, tooBusy } from "../../core/errors.ts";
import { type Log, stackOf } from "../../log.ts";
import { recordOf } from "../request-record.ts";
import { validationProblem } from "../validation/validation-errors.ts";
import type { ProblemDetails } from "./replies.ts";

type ErrorContext = {
  error: unknown;
  request: Request;
  /** Set by the request guard, on the same context. */
  requestId?: string;
  sentNames?: ReadonlyMap<string, string>;
  set: { status?: number | string; headers: Record<string, string | number | undefined> };
};

/** Logs an error of the service, unless one organization can cause many of its kind. */
export type ReportError = (error: unknown, request: Request, requestId: string) => void;

export function createErrorReporter(log: Log): ReportError {
  return (error, request, requestId) => {
    const problem = problemOf(error);
    // The server logs a full disk once a minute.
    if (error instanceof DiskFull) return;
    const isLimit = problem.code === "too_busy" || problem.code === "query_timeout";
    // A client that disconnects ends its read.
    const isEnded = problem.code === "store_busy" && request.signal.aborted;
    if (problem.status < 500 || isLimit || isEnded) return;
    const { status, code } = problem;
    log.error("request_failed", { requestId, method: request.method, status, code, stack: stackOf(error) });
  };
}

/** Converts every error to a response: `application/problem+json` of RFC 9457. */
export function createErrorHandler(reportError: ReportError) {
  return ({ error, request, requestId = "", sentNames, set }: ErrorContext): object => {
    const problem = withSentNames(problemOf(error), sentNames);
    reportError(error, request, requestId);
    const record = recordOf(request);
    if (record) record.code = problem.code;
    set.status = problem.status;
    Object.assign(set.headers, problem.headers, { "content-type": "application/problem+json" });
    if (problem.code === "unauthorized" && !isOfBrowser(request))
      set.headers["www-authenticate"] = `Basic realm="accountd", ${problem.headers["www-authenticate"]}`;
    return problemBody(problem, requestId);
  };
}

/** The problem with the names of parameters as they were sent. */
function withSentNames(problem: Problem, sentNames: ErrorContext["sentNames"]): Problem {
  if (!sentNames || problem.errors.length === 0) return problem;
  const { code, message: detail, headers } = problem;
  const errors = problem.errors.map((violation) =>
    "parameter" in violation
      ? { ...violation, parameter: sentNames.get(violation.parameter) ?? violation.parameter }
      : violation,
  );
  return new Problem(code, { detail, errors, headers });
}

/**
 * A browser shows a prompt for a password when a reply offers Basic. Without TLS it sends no `Sec-Fetch-Mode`, and without
 * another origin no `Origin`. Java and LWP read the first offer only.
 */
function isOfBrowser({ headers }: Request): boolean {
  const hasBrowserName = headers.get("user-agent")?.startsWith("Mozilla/") ?? false;
  return hasBrowserName || headers.has("sec-fetch-mode") || headers.has("origin");
}

/** The members of RFC 9457 and `code`; `errors` for invalid fields, and `requestId` for an error of the service. */
export function problemBody(problem: Problem, requestId: string): Static<typeof ProblemDetails> {
  return {
    type: `urn:accountd:problem:${problem.code}`,
    title: problem.title,
    status: problem.status,
    detail: problem.message,
    code: problem.code,
    ...(problem.errors.length > 0 && { errors: [...problem.errors] }),
    ...(problem.firstSequence !== undefined && { firstSequence: problem.firstSequence }),
    ...(problem.status >= 500 && { requestId }),
  };
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (!(error instanceof Error)) return new Problem("internal_error");
  if (errorCode(error) === "TOO_MANY_READS") return tooBusy();
  if (errorCode(error) === "QUERY_TIMEOUT")
    return new Problem("query_timeout", { headers: { "retry-after": "5" } });
  if (errorCode(error) === "OUTCOME_UNKNOWN") return new Problem("outcome_unknown");
  if (isBusy(error)) return new Problem("store_busy", { headers: { "retry-after": "1" } });
  if (isStorageFailure(error)) return new Problem("store_failed", { headers: { "retry-after": "30" } });
  const code = "code" in error ? error.code : undefined;
  // Elysia wraps the errors of a body parser.
  if (code === "PARSE") return error.cause instanceof Problem ? error.cause : problemOf(error.cause);
  if (code === "NOT_FOUND") return new Problem("not_found");
  if (code === "VALIDATION" && isRequestError(error)) return validationProblem(error);
  return new Problem("internal_error");
}

function isRequestError(error: Error): error is ValidationError {
  return "type" in error && error.type !== "response";
}
