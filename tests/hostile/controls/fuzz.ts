import type { Variant } from "../../support/variant.ts";

const source = import.meta.path;

export const otherLettersFail: Variant = {
  name: "a name with a letter that is not ASCII is too much for a handler",
  source,
  replace: {
    "src/accounts/store.ts": {
      createAccount: (original) => (tx, input) => {
        if (/[^ -~]/.test(input.name)) throw new Error("what is this?");
        return original.createAccount(tx, input);
      },
    },
  },
};

export const emojiChangesShape: Variant = {
  name: "an account with an emoji in its name is shown in another shape",
  source,
  replace: {
    "src/accounts/model.ts": {
      presentCreated: (original) => (row) => distort(original.presentCreated(row)),
      presentListed: (original) => (row) => distort(original.presentListed(row)),
      presentUpdated: (original) => (row) => distort(original.presentUpdated(row)),
      presentAccount: (original) => (row) => distort(original.presentAccount(row)),
    },
  },
};

export const selectedMemberMissing: Variant = {
  name: "the last member that fields selects is left out",
  source,
  replace: {
    "src/http/resource/selection.ts": {
      memberSelector:
        (original) =>
        ({ fields }) =>
          original.memberSelector(
            fields === undefined ? {} : { fields: fields.split(",").slice(0, -1).join(",") },
          ),
    },
  },
};

function distort<T extends { name: string; churned: boolean }>(account: T): T {
  return /\p{Emoji_Presentation}/u.test(account.name) ? { ...account, churned: "very" } : account;
}
