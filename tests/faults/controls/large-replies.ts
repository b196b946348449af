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
  rows: ["changes", "changes in gzip", "pages over 8 MiB"],
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

export const noTimeout: RowControl = {
  name: "a connection that does not receive stays open",
  source: import.meta.path,
  rows: ["unread changes"],
  scale: "long",
  replace: {
    "src/server/listen.ts": {
      listen:
        ({ listen }) =>
        (address, fetch, timeouts) =>
          listen(address, fetch, { ...timeouts, stallSeconds: 240 }),
    },
  },
};

export const largeDeletesInBatches: RowControl = {
  name: "a batch deletes accounts with any number of sub-resources",
  source: import.meta.path,
  rows: ["dry batches of DELETEs"],
  scale: "long",
  replace: {
    "src/accounts/row-count.ts": {
      countBatchedRows: () => async () => {},
    },
  },
};
