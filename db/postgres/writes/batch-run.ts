import type { Session } from "../connections/session.ts";
import type { NewIds } from "./new-ids.ts";
import type { RowBuffer } from "./row-buffer.ts";
import type { SentStatements } from "./sent-statements.ts";

/** What the writes of a batch share while it runs. */
export type BatchRun = {
  session: Session;
  /** Whether a write continues before its statements are done, where it needs no result of them. */
  isPipelined: boolean;
  sent: SentStatements;
  /** The rows to insert and update together; undefined when each write sends its own. */
  buffer: RowBuffer | undefined;
  /** Whether a write can fail although the server executes each of its statements. */
  hasExpectation: boolean;
  ids: NewIds;
  /** The number of the last change of each organization. */
  lastSequences: Map<number, number>;
  isStopping: () => boolean;
};
