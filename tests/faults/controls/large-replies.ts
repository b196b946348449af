import type { Variant } from "../../support/variant.ts";

export const orderOfArrival: Variant = {
  name: "all requests run in the order of their arrival",
  source: import.meta.path,
  replace: {
    "src/core/turns.ts": {
      takeTurn: () => () => undefined,
      waitForTurn: () => async () => {},
    },
  },
};

export const wholeResults: Variant = {
  name: "the results of a batch have all rows",
  source: import.meta.path,
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
