import { type RepairLease, repairLeaseSeconds } from "../engine.ts";

/** The lease of repairs, in the memory of the one process that writes to the file. */
export function repairLease(): RepairLease {
  let holder: string | undefined;
  /** By the monotonic clock. */
  let expiresAt = 0;
  const extend = async (id: string) => {
    if (holder === id) expiresAt = performance.now() + repairLeaseSeconds * 1_000;
    return holder === id;
  };
  return {
    begin: (id) => {
      if (holder === undefined || performance.now() > expiresAt) holder = id;
      return extend(id);
    },
    extend,
    end: async (id) => {
      if (holder === id) holder = undefined;
    },
  };
}
