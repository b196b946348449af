import { ProblemError } from "../../../../clients/typescript/src/problem.ts";
import { type FormProblem, formProblemOf, ReaderError } from "../editing/form-problem.ts";
import { layout as text } from "../messages/messages.ts";

/** The failure of a request without a reply is a TypeError (Fetch standard); any other error is a fault of the page. */
function describeFailure(error: unknown): { title: string; advice?: string | undefined } {
  if (error instanceof ReaderError) return { title: error.message };
  return error instanceof TypeError
    ? { title: text.unreachable, advice: text.unreachableAdvice }
    : { title: text.fault, advice: text.faultAdvice };
}

type ProblemNoticeProps = { error: unknown; problem?: FormProblem | undefined; onRetry?: () => void };

/**
 * What went wrong and what to do, with the request id for the operator. `problem` is the problem of a form, which shows the
 * problems of its fields itself.
 */
export function ProblemNotice({
  error,
  problem = formProblemOf(error, () => false),
  onRetry,
}: ProblemNoticeProps) {
  const isAtFields = problem !== undefined && problem.fields.size > 0;
  const requestId = error instanceof ProblemError && !isAtFields ? error.requestId : undefined;
  const { title, advice } = problem ? { title: problem.text, advice: undefined } : describeFailure(error);
  return (
    <div class="notice problem" role="alert">
      <p>
        <strong>{title}</strong>
      </p>
      {problem && problem.others.length > 0 && (
        <ul>
          {problem.others.map((other) => (
            <li key={other}>{other}</li>
          ))}
        </ul>
      )}
      {advice !== undefined && <p>{advice}</p>}
      {requestId !== undefined && (
        <p class="hint">
          {text.request} <code>{requestId}</code>
        </p>
      )}
      {onRetry && (
        <button type="button" onClick={onRetry}>
          {text.tryAgain}
        </button>
      )}
    </div>
  );
}
