import { daysUntilFinal } from "../../src/core/event-limits.ts";
import { dayOf } from "../../src/core/timestamps.ts";
import { attachNextEvents } from "../../src/events/attach.ts";
import type { Body } from "../support/world.ts";
import { eventWorld } from "./event-world.ts";

export const accounts = "/api/v1/accounts";

/** An event world with functions for pending events that are attached in steps. */
export async function attachmentWorld() {
  const here = await eventWorld();
  const { call, faults, first, jobs, now, rows, send } = here;
  return {
    ...here,
    /** Sends `count` events of an external id, by 100 users, with message ids that begin with it. */
    async sendPending(externalId: string, count: number, event: Body = {}) {
      const events = Array.from({ length: count }, (_, i) => ({
        event: "opened",
        externalId,
        messageId: `${externalId} ${i}`,
        userId: `u${i % 100}`,
        ...event,
      }));
      while (events.length > 0) await send(events.splice(0, 1_000));
    },
    /** Runs steps of the job. Returns whether there may be more. */
    async attach(steps: number): Promise<boolean> {
      let hasMore = true;
      for (let step = 0; step < steps; step += 1) hasMore = await attachNextEvents(jobs.tenant(first.id));
      return hasMore;
    },
    /** Runs all steps of one job. */
    async run(job: string) {
      while (await jobs.steps[job]?.(jobs.tenant(first.id)));
    },
    /** The `pendingEvents` of the account's usage and of its health. */
    async pendingEvents(accountId: number) {
      const usage = await call("GET", `${accounts}/${accountId}/usage`);
      const health = await call("GET", `${accounts}/${accountId}/health`);
      return [usage.body.pendingEvents, health.body.data.pendingEvents];
    },
    /** The number of stored events of each account and external id. */
    async owners() {
      const counted = await rows<{ account_id: number | null; external_id: string | null; count: number }>(
        "SELECT account_id, external_id, count(*) AS count FROM events GROUP BY 1, 2 ORDER BY 1 NULLS FIRST, 2 NULLS FIRST",
      );
      return counted.map(({ account_id, external_id, count }) => [account_id ?? external_id, count]);
    },
    attachments: () => rows("SELECT account_id, count FROM attachments ORDER BY external_id, last_event_id"),
    /** The faults that `accountd check` reports. */
    check: () => faults(dayOf(now()) - daysUntilFinal),
  };
}
