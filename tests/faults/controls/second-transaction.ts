import type { Reaction, TenantTransaction } from "../../../src/core/tenant/transaction.ts";
import type { Replacements } from "../../support/variant.ts";

type Part = (tx: TenantTransaction) => Promise<unknown> | undefined;
const partsOf = new WeakMap<TenantTransaction, Part[]>();

/** Moves a part of a change out of its transaction, into a second one that follows it before the reply. */
export function runInSecondTransaction(tx: TenantTransaction, part: Part): void {
  const parts = partsOf.get(tx);
  if (!parts) throw new Error("the variant does not replace Tenant");
  parts.push(part);
}

/** Required by every variant that uses `runInSecondTransaction`. */
export const withSecondTransactions: Replacements = {
  "src/core/tenant/tenant.ts": {
    Tenant: ({ Tenant }) =>
      class extends Tenant {
        override async write<T>(fn: (tx: TenantTransaction) => Promise<T>): Promise<T> {
          const parts: Part[] = [];
          const value = await super.write((tx) => {
            parts.length = 0;
            partsOf.set(tx, parts);
            return fn(tx);
          });
          for (const part of parts) await this.write(async (tx) => part(tx));
          return value;
        }
      },
  },
};

/** The reactions, of which the named one runs in a second transaction. */
export function withLateReaction(reactions: readonly Reaction[], name: string): Reaction[] {
  if (!reactions.some((reaction) => reaction.name === name)) throw new Error(`no reaction is named ${name}`);
  return reactions.map((reaction) => {
    if (reaction.name !== name) return reaction;
    const react: Reaction["react"] = (tx, change) => {
      runInSecondTransaction(tx, (later) => reaction.react(later, change));
      return undefined;
    };
    return { ...reaction, react };
  });
}
