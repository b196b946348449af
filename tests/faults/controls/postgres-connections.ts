import type { Transaction } from "../../../db/engine.ts";
import { errorCode } from "../../../db/errors.ts";
import type { Variant } from "../../support/variant.ts";

const source = import.meta.path;

/** A commit whose reply was lost counts as failed. */
export const rerunsLostCommits: Variant = {
  name: "a write runs again after a lost commit, whose outcome is not looked up",
  source,
  replace: {
    "db/postgres/writes/batch-record.ts": {
      BatchRecord: ({ BatchRecord }) =>
        class extends BatchRecord {
          override async isStored(): Promise<boolean> {
            return false;
          }
        },
    },
    "db/postgres/writes/write-lane.ts": {
      WriteLane: ({ WriteLane }) =>
        class extends WriteLane {
          override push<T>(organizationId: number, work: (tx: Transaction) => Promise<T>): Promise<T> {
            return super.push(organizationId, work).catch((error: unknown) => {
              if (errorCode(error) !== "ENGINE_BUSY") throw error;
              return super.push(organizationId, work);
            });
          }
        },
    },
  },
};

/** Every statement of a connection that was reset fails. */
export const keepsLostConnections: Variant = {
  name: "a lost connection is not opened again",
  source,
  replace: { "db/postgres/errors.ts": { isConnectionLost: () => () => false } },
};

/** Locks of a transaction whose client was lost silently stay. */
export const abandonsTransactions: Variant = {
  name: "the server does not end a transaction whose client is silent",
  source,
  replace: {
    "db/postgres/connections/session.ts": {
      Session: ({ Session }) =>
        class extends Session {
          constructor(...[options]: ConstructorParameters<typeof Session>) {
            super({ ...options, idleInTransactionMilliseconds: 0 });
          }
        },
    },
  },
};
