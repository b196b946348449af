import type { Variant } from "../../support/variant.ts";

export const fullDiskIsBug: Variant = {
  name: "a full disk counts as a fault of the program",
  source: import.meta.path,
  replace: {
    "db/errors.ts": {
      isStorageFailure: (original) => (error) =>
        original.errorCode(error) !== "SQLITE_FULL" && original.isStorageFailure(error),
    },
  },
};
