/** Rows that a step reads: some milliseconds. */
export const readBatchSize = 1_000;
/** Rows, and bytes of them, that a step changes in one transaction, or between two pauses: a few milliseconds. */
export const writeBatchSize = 100;
export const maxBatchBytes = 500_000;
/** The time after which reads run before a long transaction continues. */
const maxMillisecondsAtOnce = 4;

/** The pauses of a long transaction. */
export class Pauses {
  readonly #tx: { pause(): Promise<void> };
  #start = performance.now();

  constructor(tx: { pause(): Promise<void> }) {
    this.#tx = tx;
  }

  /** Lets reads run when the last pause is some milliseconds ago. Throws EngineStopping. */
  async next(): Promise<void> {
    if (performance.now() - this.#start < maxMillisecondsAtOnce) return;
    await this.#tx.pause();
    this.#start = performance.now();
  }
}
