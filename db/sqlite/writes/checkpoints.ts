import type { Connection } from "../connection.ts";

/** From a commit to the checkpoint. A slow read that prevents it ends within 5 s, so the second one succeeds within 10 s. */
const defaultDelayMilliseconds = 4_500;

type CheckpointResult = { busy: number; log: number; checkpointed: number };
type RunBetweenBatches = (
  work: (connection: Connection) => CheckpointResult | null,
) => Promise<CheckpointResult | null>;

/**
 * Moves the WAL into the file a few seconds after a commit, so that a copy of the file alone lacks the last seconds only.
 * `run` runs its argument between two batches.
 */
export class Checkpoints {
  readonly #run: RunBetweenBatches;
  readonly #delayMilliseconds: number;
  #timeout: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(run: RunBetweenBatches, delayMilliseconds = defaultDelayMilliseconds) {
    this.#run = run;
    this.#delayMilliseconds = delayMilliseconds;
  }

  /** Schedules a checkpoint, unless there is one. It is not postponed by further commits. */
  onCommit(): void {
    if (this.#isClosed || this.#timeout) return;
    this.#timeout = setTimeout(() => void this.#checkpoint(), this.#delayMilliseconds);
    this.#timeout.unref();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timeout);
  }

  async #checkpoint(): Promise<void> {
    this.#timeout = undefined;
    try {
      // PASSIVE waits for nobody. It moves what no reader of an older snapshot needs.
      const result = await this.#run(({ client }) =>
        client.query<CheckpointResult, []>("PRAGMA wal_checkpoint(PASSIVE)").get(),
      );
      if (result?.busy === 0 && result.checkpointed === result.log) return;
    } catch {
      // The disk is full or failing: the WAL has the changes, and the next write reports the error.
    }
    this.onCommit();
  }
}
