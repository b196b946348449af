import { followChanges } from "../../changes/follow.ts";
import type { ChangeRow } from "../../changes/list.ts";
import type { Follower } from "../../core/changes/followers.ts";
import { Problem } from "../../core/errors.ts";
import type { Tenant } from "../../core/tenant/tenant.ts";
import { addDeliveries, type DeliveredWebhook } from "./store.ts";
import type { PendingDelivery } from "./window.ts";

/** Without deliveries, the position is stored after this time: other types would apply to the changes after it. */
const maxUnstoredMilliseconds = 2_000;

type EnqueueOptions = {
  tenant: Tenant;
  follower: Follower;
  /** Called with what was stored. The next page is read when it resolves. */
  onAdded: (deliveries: PendingDelivery[]) => Promise<void>;
};

/**
 * Stores a pending delivery of each change that matches, from the position of the webhook on, until the follower ends, or
 * until the webhook is not as it was read.
 */
export async function enqueueChanges(
  webhook: DeliveredWebhook,
  { tenant, follower, onAdded }: EnqueueOptions,
): Promise<void> {
  const isWanted = changeFilter(webhook);
  let stored = webhook.position;
  let storedAt = performance.now();
  const store = (rows: readonly ChangeRow[], position: number): Promise<boolean> => {
    stored = position;
    storedAt = performance.now();
    return tenant.write((tx) => addDeliveries(tx, webhook, { rows, position }));
  };
  try {
    const pages = followChanges(tenant, follower, {
      after: stored,
      idleMilliseconds: maxUnstoredMilliseconds,
    });
    for await (const { rows, upTo } of pages) {
      const wanted = rows.filter(isWanted);
      const isDue = upTo > stored && performance.now() - storedAt >= maxUnstoredMilliseconds;
      if (wanted.length === 0 && !isDue) continue;
      if (!(await store(wanted, upTo))) return;
      const { now } = tenant;
      await onAdded(
        wanted.map(({ sequence, accountId }) => ({ sequence, accountId, attempts: 0, nextAttemptAt: now })),
      );
    }
  } catch (error) {
    const firstSequence = error instanceof Problem ? error.firstSequence : undefined;
    if (firstSequence === undefined) throw error;
    // The webhook was inactive for longer than changes are kept.
    await store([], firstSequence - 1);
  }
}

function changeFilter({ types }: DeliveredWebhook): (row: ChangeRow) => boolean {
  if (types === null) return () => true;
  // Safe: the types of a webhook are checked before they are stored.
  const wanted = new Set(JSON.parse(types) as string[]);
  return ({ resource, action }) => wanted.has(`${resource}.${action}`);
}
