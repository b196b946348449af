import type { components } from "./schema.ts";

/** The body of a failure (RFC 9457). */
export type Problem = components["schemas"]["Problem"];

/**
 * A failed request: a reply whose status is not 2xx, after the last retry. `code` is undefined when the reply is not one
 * of accountd's problems: that of a proxy, or a 304.
 */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly status: number;
  readonly code: Problem["code"] | undefined;
  /** What to do, in a sentence. */
  readonly detail: string;
  /** The members, parameters and headers that the server rejects. */
  readonly errors: NonNullable<Problem["errors"]>;
  readonly requestId: string | undefined;
  /** The time of `Retry-After` in seconds. */
  readonly retryAfterSeconds: number | undefined;
  /** The body of the reply, if it is one of accountd's problems. */
  readonly problem: Problem | undefined;

  constructor(response: Response, problem: Problem | undefined) {
    const detail = problem?.detail ?? response.statusText;
    const fields = problem?.errors?.map((error) => `${placeOf(error)} ${error.detail}`) ?? [];
    super(`${response.status} ${problem?.code ?? "without a problem"}: ${[detail, ...fields].join(" ")}`);
    this.status = response.status;
    this.code = problem?.code;
    this.problem = problem;
    this.detail = detail;
    this.errors = problem?.errors ?? [];
    this.requestId = response.headers.get("x-request-id") ?? undefined;
    this.retryAfterSeconds = retryAfterSeconds(response);
  }
}

/** Reads the reply of a failure. */
export async function problemErrorOf(response: Response): Promise<ProblemError> {
  const isProblem = response.headers.get("content-type")?.startsWith("application/problem+json");
  // Safe: the type of the content says it. A body that is cut off is none.
  const problem = isProblem ? ((await response.json().catch(() => undefined)) as Problem) : undefined;
  return new ProblemError(response, problem);
}

/** The problem of a failed request; a 413 of a proxy has that of accountd. */
export function problemOf({ problem, status, detail }: ProblemError): Problem {
  const code = "payload_too_large";
  return (
    problem ?? { type: `urn:accountd:problem:${code}`, title: "Payload too large", status, detail, code }
  );
}

/** The seconds of the header `Retry-After`, or undefined without one. accountd sends no dates. */
export function retryAfterSeconds({ headers }: Response): number | undefined {
  const seconds = headers.get("retry-after");
  return seconds !== null && /^\d+$/.test(seconds) ? Number(seconds) : undefined;
}

function placeOf({
  pointer,
  parameter,
  header,
}: Problem["errors"] extends (infer E)[] | undefined ? E : never) {
  return pointer ?? parameter ?? header ?? "";
}
