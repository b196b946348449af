import type { RowControl } from "../../support/proof.ts";

export const orderOfArrival: RowControl = {
  name: "all requests run in the order of their arrival",
  source: import.meta.path,
  rows: ["changes", "GET /api/v1/accounts"],
  replace: {
    "src/core/turns.ts": {
      takeTurn: () => () => undefined,
      waitForTurn: () => async () => {},
    },
  },
};

export const wholeResults: RowControl = {
  name: "the results of a batch have all rows",
  source: import.meta.path,
  rows: ["batches of one contact", "batches with Idempotency-Key"],
  replace: {
    "src/http/batch/batch-results.ts": {
      BatchResults: (original) =>
        class extends original.BatchResults {
          readonly #texts: string[] = [];
          override addSuccess({ status, body }: { status: number; body: unknown }): void {
            this.#texts.push(JSON.stringify({ status, body: body ?? null }));
          }
          override bodies(): { body: string } {
            const succeeded = this.#texts.length;
            return {
              body: `{"data":{"results":[${this.#texts.join()}],"succeeded":${succeeded},"failed":0}}`,
            };
          }
        },
    },
  },
};

export const wholePages: RowControl = {
  name: "pages have any number of bytes",
  source: import.meta.path,
  rows: ["changes"],
  replace: {
    "src/core/lists/json-rows.ts": {
      JsonRows: (original) =>
        class extends original.JsonRows {
          readonly #maxCount: number;
          constructor(maxCount: number) {
            super(maxCount);
            this.#maxCount = maxCount;
          }
          override add(row: object): boolean {
            if (this.texts.length === this.#maxCount) return false;
            this.texts.push(JSON.stringify(row));
            return true;
          }
        },
    },
  },
};

export const erasuresAtOnce: RowControl = {
  name: "any number of erasures run at once",
  source: import.meta.path,
  rows: ["64 dry runs of erasures"],
  replace: {
    "src/core/long-changes.ts": {
      runLongChange: () => (_, run) => run(),
    },
  },
};
