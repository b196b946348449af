import type { Connection } from "../connection.ts";

/** From a commit to the checkpoint. A slow read that prevents it ends within 5 s, so the second one succeeds within 10 s. */
const delayMilliseconds = 4_500;

type CheckpointResult = { busy: number; log: number; checkpointed: number };
type RunBetweenBatches = (
  work: (connection: Connection) => CheckpointResult | null,
) => Promise<CheckpointResult | null>;

/**
 * Moves the WAL into the file a few seconds after a commit, so that a copy of the file alone lacks the last seconds only.
 * `run` runs its argument between two batches.
 */
export function createCheckpoints(run: RunBetweenBatches) {
  let timeout: Timer | undefined;
  let isClosed = false;

  /** Schedules a checkpoint, unless there is one. It is not postponed by further commits. */
  function onCommit(): void {
    if (isClosed || timeout) return;
    timeout = setTimeout(() => void checkpoint(), delayMilliseconds);
    timeout.unref();
  }

  async function checkpoint(): Promise<void> {
    timeout = undefined;
    try {
      // PASSIVE waits for nobody. It moves what no reader of an older snapshot needs.
      const result = await run(({ client }) =>
        client.query<CheckpointResult, []>("PRAGMA wal_checkpoint(PASSIVE)").get(),
      );
      if (result?.busy === 0 && result.checkpointed === result.log) return;
    } catch {
      // The disk is full or failing: the WAL has the changes, and the next write reports the error.
    }
    onCommit();
  }

  function close(): void {
    isClosed = true;
    clearTimeout(timeout);
  }

  return { onCommit, close };
}
