import type { ChangeAction } from "../core/changes/changes.ts";
import type { ResourceType } from "../shared/resources.ts";

/** The filter of a caller. A field that is absent matches all changes. */
export type ChangeFilter = { resource?: ResourceType | undefined; action?: ChangeAction | undefined };

/** Whether a change matches, as in the feed: the deletion of an account is a change of each resource. */
export function matchesFilter(change: { resource: string; action: string }, filter: ChangeFilter): boolean {
  const isDeletedAccount = change.resource === "account" && change.action === "deleted";
  const isResource = filter.resource === undefined || change.resource === filter.resource || isDeletedAccount;
  return isResource && (filter.action === undefined || change.action === filter.action);
}
