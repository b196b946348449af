import {
  type FieldViolation,
  maxListedViolations,
  Problem,
  violationCodes,
  withPrefix,
} from "../../core/errors.ts";
import { Pauses } from "../../core/pauses.ts";
import type { TenantTransaction } from "../../core/tenant/transaction.ts";
import { validateEach } from "../validation/items.ts";
import { BatchResults } from "./batch-results.ts";
import type { BatchOptions, OperationTable, RunOperation } from "./operations.ts";

/** An operation to run, or the problem of an invalid one. Its pointers begin at the request's body. */
type PreparedOperation = RunOperation | Problem;

/** A failed batch lists the problems of so many operations. */
const maxListedFailures = 10;

/** Validates the operations of a batch. */
export function prepareOperations(
  table: OperationTable,
  items: readonly unknown[],
  options: BatchOptions,
): Promise<PreparedOperation[]> {
  return validateEach(items, "operations", (item, pointer): RunOperation => {
    const run = table.prepare(item, options);
    // The pointers of a verb begin at the body of the operation.
    return (tx, isRowOmitted) => withPrefix(`${pointer}/body`, () => run(tx, isRowOmitted));
  });
}

/**
 * Runs the operations; one that fails leaves nothing behind. `isAtomic`: throws `batch_failed` with the first problems when one
 * fails. Throws errors that are no problems.
 */
export async function runOperations(
  tx: TenantTransaction,
  operations: readonly PreparedOperation[],
  isAtomic: boolean,
): Promise<BatchResults> {
  const results = new BatchResults(tx.caller.requestId ?? "");
  const failures: FailedOperation[] = [];
  const pauses = new Pauses(tx);
  for (const [index, operation] of operations.entries()) {
    await pauses.next();
    const result =
      operation instanceof Problem ? operation : await tx.attempt(() => operation(tx, results.isFull));
    if (!(result instanceof Problem)) results.addSuccess(result);
    else if (isAtomic) failures.push({ index, problem: result });
    else results.addFailure(result);
    if (failures.length === maxListedFailures) break;
  }
  if (failures.length > 0) throw batchFailed(failures);
  return results;
}

type FailedOperation = { index: number; problem: Problem };

/** Throws `batch_failed` when an operation is invalid. */
export function assertAllValid(operations: readonly PreparedOperation[]): void {
  const failures = operations.flatMap((problem, index) =>
    problem instanceof Problem ? { index, problem } : [],
  );
  if (failures.length > 0) throw batchFailed(failures.slice(0, maxListedFailures));
}

function batchFailed(failures: readonly FailedOperation[]): Problem {
  const errors = failures.flatMap(({ index, problem }): readonly FieldViolation[] => {
    if (problem.errors.length > 0) return problem.errors;
    // Without errors, `invalid_request` is the problem of a text in a member that the operation does not have.
    const code = violationCodes.find((name) => name === problem.code) ?? "ill_formed_text";
    return [{ pointer: `/operations/${index}`, code, detail: problem.message }];
  });
  return new Problem("batch_failed", { errors: errors.slice(0, maxListedViolations) });
}
