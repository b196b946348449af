import type { Transaction, WriteOptions } from "../../engine.ts";
import { EngineBusy, QueryTimeout } from "../../errors.ts";
import type { Session } from "../connections/session.ts";
import { isAborted, isRetried, isTransactionTimeout } from "../errors.ts";
import { RolledBack } from "./batch-record.ts";
import type { BatchRun } from "./batch-run.ts";
import { ChangedRows } from "./changed-rows.ts";
import type { NewIds } from "./new-ids.ts";
import type { LockedOrganization } from "./organization-locks.ts";
import { RowBuffer } from "./row-buffer.ts";
import { SentStatements } from "./sent-statements.ts";
import { PostgresTransaction, type WriteFailure } from "./transaction.ts";

type LaneWork = (tx: Transaction) => Promise<unknown>;
export type LaneWrite = {
  organizationId: number;
  work: LaneWork;
  /** Its statements may have long lists of keys, whose plans must be made for the present size of the tables. */
  isBulk: boolean;
  rowCount: number;
  firstRead?: WriteOptions["firstRead"];
  insertsInto?: WriteOptions["insertsInto"];
  /** The rows of `firstRead`, if it was sent with the lock. */
  firstRows?: Promise<unknown[]> | undefined;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};
export type Outcome = { write: LaneWrite; value: unknown } | { write: LaneWrite; error: unknown };
/**
 * Not final in a pipeline: the write did not receive the results of all of its statements. `attempt`: the attempt that
 * failed without a savepoint.
 */
type Failure = { write: LaneWrite; error: unknown; isFinal: boolean; attempt: number | undefined };
/**
 * The outcomes of the writes that ran in a transaction, or why it has to be rolled back: because of some writes, or of
 * one of the rows that were sent together.
 */
export type LaneResult = {
  outcomes: Outcome[];
  failures: Failure[];
  hasRowFailure: boolean;
  /** Whether a statement failed because the database did not answer in time. */
  isUnavailable: boolean;
  /** Whether the transaction was committed already. */
  isStored: boolean;
};

/** After this time, writes that have not begun run in a later transaction: a transaction has a time limit. */
const maxRunMilliseconds = 1_000;

type Options = {
  organizations: ReadonlyMap<number, LockedOrganization>;
  ids: NewIds;
  isPipelined: boolean;
  /** Whether rows of several writes are sent together; only in a pipeline. */
  isBuffered: boolean;
  /** Of the only write: see `Attempts`. */
  suspects?: ReadonlySet<number> | undefined;
  isStopping: () => boolean;
  /** Commits the transaction. Throws as `BatchRecord.commit`. */
  commit: () => Promise<void>;
};
const noSuspects: ReadonlySet<number> = new Set();

/**
 * Runs writes in the session's open transaction: one at a time for each organization, different organizations
 * concurrently. Throws EngineBusy when the connection is lost or the transaction takes too long, or a retryable error.
 */
export async function runWrites(
  session: Session,
  writes: readonly LaneWrite[],
  { organizations, ids, isPipelined, isBuffered, suspects = noSuspects, isStopping, commit }: Options,
): Promise<LaneResult> {
  const failures: Failure[] = [];
  /** Errors of writes that changed rows and had no failed statement yet. */
  const thrown: { write: LaneWrite; error: unknown }[] = [];
  const statementErrors: unknown[] = [];
  let hasRowFailure = false;
  const onRowFailure = (error: unknown) => {
    if (isAborted(error)) return;
    statementErrors.push(error);
    hasRowFailure = true;
  };
  const [only] = writes;
  const isOfOneWrite = writes.length === 1 && (only?.firstRead ?? only?.insertsInto) !== undefined;
  const sent = new SentStatements();
  const batch: BatchRun = {
    session,
    isPipelined,
    sent,
    buffer:
      isPipelined && isBuffered ? new RowBuffer(session, sent, onRowFailure, { isOfOneWrite }) : undefined,
    hasExpectation: false,
    ids,
    lastSequences: new Map([...organizations].map(([id, { lastSequence }]) => [id, lastSequence])),
    isStopping,
  };
  const endsAt = performance.now() + maxRunMilliseconds;
  const runInTurn = async (writesOfOrganization: readonly LaneWrite[]): Promise<Outcome[]> => {
    const outcomes: Outcome[] = [];
    const changed = new ChangedRows();
    for (const write of writesOfOrganization) {
      if (
        failures.length > 0 ||
        thrown.length > 0 ||
        hasRowFailure ||
        (outcomes.length > 0 && performance.now() > endsAt)
      )
        break;
      const organization = organizations.get(write.organizationId);
      if (!organization) throw new Error("a write runs without the lock of its organization");
      // A write that continues after the error fails, too: the server ignores its changes.
      const onFailure = ({ error, isAwaited, attempt }: WriteFailure) => {
        if (isAborted(error)) return;
        statementErrors.push(error);
        failures.push({ write, error, isFinal: isAwaited && attempt === undefined, attempt });
      };
      const { firstRead, firstRows } = write;
      const read = firstRead && firstRows && { ...firstRead, rows: firstRows };
      const tx = new PostgresTransaction(batch, organization, {
        suspects,
        changed,
        onFailure,
        firstRead: read,
      });
      try {
        outcomes.push({ write, value: await write.work(tx) });
      } catch (error) {
        const failure = failures.find((failed) => failed.write === write);
        if (failure) failure.error = error;
        else if (tx.isDirty) thrown.push({ write, error });
        else outcomes.push({ write, error });
      } finally {
        tx.end();
      }
    }
    return outcomes;
  };
  const byOrganization = Map.groupBy(writes, ({ organizationId }) => organizationId);
  const outcomes = (await Promise.all([...byOrganization.values()].map(runInTurn))).flat();
  batch.buffer?.flush();
  const isCommitting =
    isPipelined && isOfOneWrite && !batch.hasExpectation && outcomes.some((outcome) => "value" in outcome);
  // Without waiting: the server rolls back instead if a statement before it has failed.
  const [committed] = await Promise.allSettled([isCommitting && commit(), sent.settle()]);
  const failedCommit = committed.status === "rejected" ? committed.reason : undefined;
  if (failedCommit && !(failedCommit instanceof RolledBack && statementErrors.length > 0)) throw failedCommit;
  // Statements can have failed with the connection, after the server has committed.
  if (isCommitting && !failedCommit)
    return { outcomes, failures: [], hasRowFailure: false, isUnavailable: false, isStored: true };
  // Without a connection, or after a deadlock, nothing was stored, and no write caused it.
  if (statementErrors.some(isTransactionTimeout))
    throw new EngineBusy("The writes took longer than the limit of a transaction.");
  if (!session.isOpen) throw new EngineBusy("The connection to the database was lost.");
  const retried = statementErrors.find(isRetried);
  if (retried) throw retried;
  // Without a failed statement, a write would have thrown the same if it had waited for each.
  const isFinal = !isPipelined || (failures.length === 0 && !hasRowFailure);
  for (const each of thrown) failures.push({ ...each, isFinal, attempt: undefined });
  const isUnavailable = statementErrors.some(
    (error) => error instanceof QueryTimeout || error instanceof EngineBusy,
  );
  const stored = failures.length > 0 || hasRowFailure ? [] : outcomes;
  return { outcomes: stored, failures, hasRowFailure, isUnavailable, isStored: false };
}
