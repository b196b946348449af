import type { ResourceType } from "../../shared/resources.ts";
import type { Reaction, TenantTransaction } from "../tenant/transaction.ts";
import type { Change } from "./changes.ts";

/** A reaction to a change of one resource. Reactions to a delete run before the row is deleted. */
export function defineReaction<T extends ResourceType>(
  name: string,
  resource: T,
  react: (tx: TenantTransaction, change: Change<T>) => Promise<void> | undefined,
): Reaction {
  // Safe: `TenantTransaction.changed` passes changes of its resource only.
  return { name, resource, react: react as Reaction["react"] };
}
