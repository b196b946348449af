import type { Variant } from "../../support/variant.ts";

const source = import.meta.path;
const emoji = /\p{Emoji_Presentation}/u;

export const failsOnEmoji: Variant = {
  name: "creating an account throws when its name has an emoji",
  source,
  replace: {
    "src/accounts/store.ts": {
      createAccount: (original) => async (tx, input) => {
        if (emoji.test(input.name)) throw new Error("an emoji");
        return original.createAccount(tx, input);
      },
    },
  },
};

export const showsAnotherShape: Variant = {
  name: "a created account with an emoji in its name has another shape",
  source,
  replace: {
    "src/accounts/model.ts": {
      presentCreated: (original) => (row) => {
        const presented = original.presentCreated(row);
        // Safe: the wrong type is the fault that the proof must find.
        return emoji.test(row.name) ? { ...presented, churned: "very" as never } : presented;
      },
    },
  },
};
