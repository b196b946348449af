import type { Variant } from "../../support/variant.ts";

export const unlimitedBodies: Variant = {
  name: "the bodies of all requests are read at once",
  source: import.meta.path,
  replace: {
    "src/http/byte-budget.ts": {
      ByteBudget: (original) =>
        class extends original.ByteBudget {
          override tryUse(): boolean {
            return true;
          }
          override release(): void {}
        },
    },
  },
};
