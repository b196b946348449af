import type { Variant } from "../../support/variant.ts";
import { runInSecondTransaction, withSecondTransactions } from "./second-transaction.ts";

const source = import.meta.path;

export const ignoresKeys: Variant = {
  name: "an Idempotency-Key has no effect",
  source,
  replace: { "src/core/tenant/idempotency.ts": { writeOnce: () => (tx, _, run) => run(tx) } },
};

/** After a kill between the two, the change is stored without its reply, and is made again. */
export const storesRepliesLater: Variant = {
  name: "the reply is stored after the change, in another transaction",
  source,
  replace: {
    ...withSecondTransactions,
    "src/core/tenant/idempotency.ts": {
      writeOnce: (original) => (tx, write, run) => {
        const runStatement = tx.run.bind(tx);
        tx.run = async (statement, values) => {
          if (statement.statement.name !== "idempotencyKeys.store") return runStatement(statement, values);
          runInSecondTransaction(tx, (later) => later.run(statement, values));
        };
        return original.writeOnce(tx, write, run);
      },
    },
  },
};
