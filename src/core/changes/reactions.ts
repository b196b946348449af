import type { ResourceType } from "../../shared/resources.ts";
import type { Reaction, TenantTransaction } from "../tenant/transaction.ts";
import type { Change } from "./changes.ts";

/** A reaction to changes of one resource. Reactions to a delete run before the row is deleted. */
export function defineReaction<T extends ResourceType>(
  name: string,
  resource: T,
  react: (tx: TenantTransaction, change: Change<T>) => Promise<void> | undefined,
): Reaction {
  return {
    name,
    resource,
    // Safe: `TenantTransaction.changed` passes changes of its resource only.
    react: (tx, change) => react(tx, change as unknown as Change<T>),
  };
}
