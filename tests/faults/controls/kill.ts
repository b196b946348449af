import type { SqliteTransaction } from "../../../db/sqlite/writes/transaction.ts";
import { contactStore } from "../../../src/contacts/store.ts";
import type { TenantTransaction } from "../../../src/core/tenant/transaction.ts";
import type { Variant } from "../../support/variant.ts";
import { runInSecondTransaction, withLateReaction, withSecondTransactions } from "./second-transaction.ts";

const source = import.meta.path;

/** A kill between the reply and the commit loses what was acknowledged. */
export const repliesTooEarly: Variant = {
  name: "changes are acknowledged before they are committed",
  source,
  replace: {
    "db/sqlite/writes/write-queue.ts": {
      WriteQueue: ({ WriteQueue }) =>
        class extends WriteQueue {
          override push<T>(organizationId: number, work: (tx: SqliteTransaction) => Promise<T>): Promise<T> {
            const reply = Promise.withResolvers<T>();
            const committed = super.push<T>(organizationId, async (tx) => {
              const value = await work(tx);
              reply.resolve(value);
              await Bun.sleep(2);
              return value;
            });
            committed.catch(reply.reject);
            return reply.promise;
          }
        },
    },
  },
};

/** A kill between the two leaves an account without its contact. */
export const storesApart: Variant = {
  name: "an account and its contact are stored in two transactions",
  source,
  replace: {
    ...withSecondTransactions,
    "src/accounts/store.ts": {
      createAccount:
        (original) =>
        async (tx, { contactName, contactEmail = null, ...input }) => {
          const account = await original.createAccount(tx, input);
          const name = contactName ?? contactEmail;
          if (name !== null)
            runInSecondTransaction(tx, (later) =>
              contactStore.upsert(later, { input: { name, email: contactEmail }, accountId: account.id }),
            );
          return account;
        },
    },
  },
};

/** A kill between the two leaves a count that is one too few. */
export const countsApart: Variant = {
  name: "a new account is counted after it is stored",
  source,
  replace: {
    ...withSecondTransactions,
    "src/reactions.ts": { reactions: ({ reactions }) => withLateReaction(reactions, "account counts") },
  },
};

/** A kill between the two leaves a row without its change. */
export const recordsApart: Variant = {
  name: "a change is recorded after it is stored",
  source,
  replace: {
    ...withSecondTransactions,
    "src/core/changes/changes.ts": {
      insertChanges: (original) => async (tx, changes) =>
        // Safe: the program passes transactions of a tenant.
        runInSecondTransaction(tx as TenantTransaction, (later) => original.insertChanges(later, changes)),
    },
  },
};
