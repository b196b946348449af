import type { Transaction } from "../../../db/engine.ts";
import type { lockFree } from "../../../db/postgres/writes/organization-locks.ts";
import type { Variant } from "../../support/variant.ts";

const source = import.meta.path;

/** A kill between the reply and the commit loses what was acknowledged. */
export const repliesBeforeCommit: Variant = {
  name: "changes in PostgreSQL are acknowledged before they are committed",
  source,
  replace: {
    "db/postgres/writes/write-lane.ts": {
      WriteLane: ({ WriteLane }) =>
        class extends WriteLane {
          override push<T>(organizationId: number, work: (tx: Transaction) => Promise<T>): Promise<T> {
            const reply = Promise.withResolvers<T>();
            const committed = super.push<T>(organizationId, async (tx) => {
              const value = await work(tx);
              setTimeout(reply.resolve, 0, value);
              await Bun.sleep(5);
              return value;
            });
            committed.then(reply.resolve, reply.reject);
            return reply.promise;
          }
        },
    },
  },
};

/** Two copies read the same newest sequence of an organization. */
export const releasesOrganizationLocks: Variant = {
  name: "a batch does not keep the locks of its organizations",
  source,
  replace: {
    "db/postgres/writes/organization-locks.ts": {
      lockFree: ({ lockFree }) => releasing(lockFree),
      lockAll: ({ lockAll }) => releasing(lockAll),
    },
  },
};

function releasing(lock: typeof lockFree): typeof lockFree {
  return async (session, request) => {
    const locks = await lock(session, request);
    // Releases the locks.
    await session.command((sql) => sql`commit`);
    await session.begin("read write");
    return locks;
  };
}

/** Both copies run the jobs. */
export const jobsWithoutLease: Variant = {
  name: "a copy runs the jobs without the lease",
  source,
  replace: {
    "db/postgres/leases.ts": {
      createLease:
        ({ createLease }) =>
        (...parameters) => {
          const lease = createLease(...parameters);
          const acquire = () => lease.acquire().then(() => true);
          return { ...lease, acquire };
        },
    },
  },
};
