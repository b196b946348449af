/** Rows that a step reads: some milliseconds. */
export const readBatchSize = 1_000;
/** Rows, and bytes of them, that a step changes in one transaction, or between two pauses: a few milliseconds. */
export const writeBatchSize = 100;
export const maxBatchBytes = 500_000;
/** Rows that a page, a sample or a pass reads at most while it looks for others: some milliseconds. */
export const maxScannedRows = 10_000;
