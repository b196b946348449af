import type { Variant } from "../../support/variant.ts";

const source = import.meta.path;

export const lockStopsEventLoop: Variant = {
  name: "a write stops everything until it has the lock",
  source,
  replace: {
    "db/sqlite/file.ts": {
      openWriteConnection: (original) => (file, options) =>
        original.openWriteConnection(file, { ...options, busyTimeoutMilliseconds: 5_000 }),
    },
  },
};

export const heldLockIsBug: Variant = {
  name: "a lock that another process holds counts as a fault of the program",
  source,
  replace: {
    "db/errors.ts": {
      isBusy: (original) => (error) =>
        !original.errorCode(error).startsWith("SQLITE_BUSY") && original.isBusy(error),
    },
  },
};
