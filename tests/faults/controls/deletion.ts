import type { Connection } from "../../../db/sqlite/connection.ts";
import type { EraseResult } from "../../../db/sqlite/erasing/erase.ts";
import type { Tenant } from "../../../src/core/tenant/tenant.ts";
import type { TenantTransaction } from "../../../src/core/tenant/transaction.ts";
import type { Variant } from "../../support/variant.ts";

const source = import.meta.path;

export const withoutJob: Variant = {
  name: "no job deletes the events and the usage of deleted accounts",
  source,
  replace: { "src/deletions/accounts.ts": { finishAccountDeletions: () => async () => false } },
};

const begunHere = new Set<number>();
export const forgetsDeletions: Variant = {
  name: "a deletion is not resumed after a restart",
  source,
  replace: {
    "src/deletions/accounts.ts": {
      enqueueAccountDeletion: (original) => (tx, accountId) => {
        begunHere.add(accountId);
        return original.enqueueAccountDeletion(tx, accountId);
      },
      finishAccountDeletions: (original) => async (tenant) =>
        begunHere.size > 0 && original.finishAccountDeletions(tenant),
    },
  },
};

export const inOneStep: Variant = {
  name: "an account is deleted in one transaction",
  source,
  replace: {
    "src/deletions/accounts.ts": {
      finishAccountDeletions: (original) => (tenant) =>
        original.finishAccountDeletions(withLongWrites(tenant)),
    },
  },
};

/** Runs each step again in the same transaction, until there is no more to do. */
export function withLongWrites(tenant: Tenant): Tenant {
  const write = (step: (tx: TenantTransaction) => Promise<boolean>) =>
    tenant.write(async (tx) => {
      while (await step(tx));
      return false;
    });
  const readOne: Tenant["readOne"] = (fn) => tenant.readOne(fn);
  // Safe: the job calls nothing else.
  return { readOne, write } as unknown as Tenant;
}

export const withoutSecureDelete: Variant = {
  name: "deleted rows are not overwritten",
  source,
  replace: {
    "db/sqlite/file.ts": {
      openWriteConnection: (original) => (file, options) => {
        const connection = original.openWriteConnection(file, options);
        connection.client.run("PRAGMA secure_delete = OFF");
        return connection;
      },
    },
  },
};

export const withoutErasure: Variant = {
  name: "what deleted rows left in unused parts of pages stays",
  source,
  replace: {
    "db/sqlite/erasing/erase.ts": {
      Eraser: ({ Eraser }) =>
        class extends Eraser {
          protected override erasePart(connection: Connection): EraseResult {
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)");
            return "done";
          }
        },
    },
  },
};

export const withoutOrganizationJob: Variant = {
  name: "no job ends the deletion of an organization",
  source,
  replace: { "src/organizations/delete.ts": { createOrganizationDeleter: () => () => async () => false } },
};
