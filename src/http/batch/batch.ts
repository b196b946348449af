import { Pauses } from "../../../db/event-loop.ts";
import {
  type FieldViolation,
  maxListedViolations,
  Problem,
  violationCodes,
  withPrefix,
} from "../../core/errors.ts";
import { writeBatchSize } from "../../core/pauses.ts";
import type { TenantTransaction } from "../../core/tenant/transaction.ts";
import { validateEach } from "../validation/items.ts";
import { BatchResults } from "./batch-results.ts";
import type { BatchOptions, OperationTable, ValidOperation } from "./operations.ts";

/** An operation to run, or the problem of an invalid one. Its pointers begin at the request's body. */
type PreparedOperation = ValidOperation | Problem;

/** A failed batch lists the problems of so many operations. */
const maxListedFailures = 10;

export function prepareOperations(
  table: OperationTable,
  items: readonly unknown[],
  options: BatchOptions,
): Promise<PreparedOperation[]> {
  return validateEach(items, "operations", (item, pointer): ValidOperation => {
    const operation = table.prepare(item, options);
    // The pointers of a verb begin at the body of the operation.
    const run: ValidOperation["run"] = (tx, isRowOmitted) =>
      withPrefix(`${pointer}/body`, () => operation.run(tx, isRowOmitted));
    return { ...operation, run };
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
  let nextList = 0;
  for (const [index, operation] of operations.entries()) {
    await pauses.next();
    if (index === nextList) nextList += await readList(tx, operations.slice(index, index + writeBatchSize));
    const result =
      operation instanceof Problem ? operation : await tx.attempt(() => operation.run(tx, results.isFull));
    if (!(result instanceof Problem)) results.addSuccess(result);
    else if (isAtomic) failures.push({ index, problem: result });
    else results.addFailure(result);
    if (failures.length === maxListedFailures) break;
  }
  if (failures.length > 0) throw batchFailed(failures);
  return results;
}

/** Reads the rows of the first operations of one kind together. Returns their number. */
async function readList(tx: TenantTransaction, operations: readonly PreparedOperation[]): Promise<number> {
  const [first] = operations;
  if (!first || first instanceof Problem) return 1;
  const end = operations.findIndex((other) => other instanceof Problem || other.kind !== first.kind);
  // Safe: the operations before the first problem.
  const list = operations.slice(0, end === -1 ? operations.length : end) as readonly ValidOperation[];
  const keys = list.map((operation) => operation.keys);
  // Otherwise the rows of earlier lists stay in memory.
  tx.forgetRows();
  if (keys.length > 1) await first.kind.reads?.readRows(tx, keys);
  return keys.length;
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
