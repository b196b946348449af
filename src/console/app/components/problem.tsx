import { ProblemError } from "../../../../clients/typescript/src/problem.ts";

/** The place of a violation in words: `/attributes/plan` is "attributes plan". */
function placeOf(violation: ProblemError["errors"][number]): string {
  if ("pointer" in violation && violation.pointer !== undefined)
    return violation.pointer.slice(1).replaceAll("/", " ");
  return ("parameter" in violation ? violation.parameter : violation.header) ?? "";
}

/** What went wrong and what to do, with the request id for the operator. */
export function ProblemNotice({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const problem = error instanceof ProblemError ? error : undefined;
  return (
    <div class="notice problem" role="alert">
      <p>
        <strong>{problem ? problem.detail : "The server cannot be reached."}</strong>
      </p>
      {problem && problem.errors.length > 0 && (
        <ul>
          {problem.errors.map((violation) => (
            <li>
              <code>{placeOf(violation)}</code> {violation.detail}
            </li>
          ))}
        </ul>
      )}
      {!problem && <p>Check the connection, and try again.</p>}
      {problem?.requestId !== undefined && (
        <p class="hint">
          Request <code>{problem.requestId}</code>
        </p>
      )}
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}
