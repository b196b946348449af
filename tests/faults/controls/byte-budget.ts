import type { Variant } from "../../support/variant.ts";

export const unlimitedBytes: Variant = {
  name: "bodies and large replies use any number of bytes",
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
