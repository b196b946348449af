import type { Variant } from "../../support/variant.ts";

export const fullPostgresDiskIsBug: Variant = {
  name: "a full disk of PostgreSQL counts as a fault of the program",
  source: import.meta.path,
  replace: {
    "db/errors.ts": {
      isStorageFailure: (original) => (error) =>
        original.errorCode(error) !== "STORAGE_FAILED" && original.isStorageFailure(error),
    },
  },
};
