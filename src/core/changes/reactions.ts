import type { ResourceType } from "../../shared/resources.ts";
import type { Reaction, TenantTransaction } from "../tenant/transaction.ts";
import type { Change } from "./changes.ts";

/** A reaction to changes of one resource. Reactions to deletes run before the rows are deleted. */
export function defineReaction<T extends ResourceType>(
  name: string,
  resource: T,
  react: (tx: TenantTransaction, changes: readonly Change<T>[]) => Promise<void> | undefined,
): Reaction {
  return {
    name,
    resource,
    // Safe: `TenantTransaction.changed` passes changes of its resource only.
    react: (tx, changes) => react(tx, changes as readonly unknown[] as readonly Change<T>[]),
  };
}
