import { ProblemError } from "../../../../clients/typescript/src/problem.ts";
import { InvalidCredentials } from "../session.ts";

/** The place of a violation in words: `/attributes/plan` is "attributes plan". */
function placeOf(violation: ProblemError["errors"][number]): string {
  if ("pointer" in violation && violation.pointer !== undefined)
    return violation.pointer.slice(1).replaceAll("/", " ");
  return ("parameter" in violation ? violation.parameter : violation.header) ?? "";
}

/** The failure of a request without a reply is a TypeError (Fetch standard); any other error is a fault of the page. */
function describeFailure(error: unknown): { title: string; advice?: string } {
  if (error instanceof InvalidCredentials) return { title: error.message };
  return error instanceof TypeError
    ? { title: "The server cannot be reached.", advice: "Check the connection, and try again." }
    : {
        title: "This page has a fault.",
        advice: "Reload it, and report it to the operator if it occurs again.",
      };
}

/** What went wrong and what to do, with the request id for the operator. */
export function ProblemNotice({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const problem = error instanceof ProblemError ? error : undefined;
  const { title, advice } = describeFailure(error);
  return (
    <div class="notice problem" role="alert">
      <p>
        <strong>{problem ? problem.detail : title}</strong>
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
      {!problem && advice !== undefined && <p>{advice}</p>}
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
