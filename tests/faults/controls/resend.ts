import { definedStatements } from "../../../db/statements.ts";
import { TenantStatement } from "../../../src/core/tenant/statements.ts";
import type { Variant } from "../../support/variant.ts";
import { runInSecondTransaction, withLateReaction, withSecondTransactions } from "./second-transaction.ts";

const source = import.meta.path;

/** After a kill between the two, the message ids are known, so the events are never counted. */
export const countsLater: Variant = {
  name: "message ids are stored before the events are counted, in another transaction",
  source,
  replace: {
    ...withSecondTransactions,
    "src/usage/store.ts": {
      addUsage: (original) => async (tx, records) =>
        runInSecondTransaction(tx, (later) => original.addUsage(later, records)),
    },
  },
};

/** After a kill between the two, the events are counted, and counted again when they are sent again. */
export const storesLater: Variant = {
  name: "events are counted before they are stored, in another transaction",
  source,
  replace: {
    ...withSecondTransactions,
    "src/events/store.ts": {
      receiveEvents: (original) => (tx, candidates) => {
        const found = definedStatements.find(({ name }) => name === "events.byMessageIds");
        if (!found) throw new Error("no statement finds events by their message ids");
        const byMessageIds = new TenantStatement(found);
        const insertAll = tx.insertAll.bind(tx);
        const seen = new Set<unknown>();
        tx.insertAll = async (statement, rows) => {
          if (statement.statement.name !== "events.insert") return insertAll(statement, rows);
          const areNew: boolean[] = [];
          for (const values of rows) {
            const { messageId = null } = values;
            const stored = await tx.first(byMessageIds, { messageIds: JSON.stringify([messageId]) });
            const isNew = !seen.has(messageId) && !stored;
            areNew.push(isNew);
            if (messageId !== null) seen.add(messageId);
            if (isNew) runInSecondTransaction(tx, (later) => later.run(statement, values));
          }
          return areNew;
        };
        return original.receiveEvents(tx, candidates);
      },
    },
  },
};

/** After a kill between the two, the account exists and its events stay pending. */
export const attachesLater: Variant = {
  name: "pending events are attached to a new account in another transaction",
  source,
  replace: {
    ...withSecondTransactions,
    "src/reactions.ts": { reactions: ({ reactions }) => withLateReaction(reactions, "pending events") },
  },
};
