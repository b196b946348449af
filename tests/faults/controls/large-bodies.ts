import type { Variant } from "../../support/variant.ts";

export const unlimitedBodies: Variant = {
  name: "the bodies of all requests are read at once",
  source: import.meta.path,
  replace: {
    "src/http/body/body-budget.ts": {
      BodyBudget: (original) =>
        class extends original.BodyBudget {
          override tryUse(): boolean {
            return true;
          }
          override release(): void {}
        },
    },
  },
};
