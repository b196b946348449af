import { expect } from "bun:test";
import { createJobs } from "../../src/jobs/jobs.ts";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { reactions } from "../../src/reactions.ts";
import { type Body, type Reply, world } from "../support/world.ts";

export const path = "/api/v1/events";
export const minute = 60_000;
export const day = 86_400_000;

/** The receipt of a request without effect: all counts are 0. */
export const emptyReceipt = {
  accepted: 0,
  duplicates: 0,
  parked: 0,
  rejected: 0,
  ignored: 0,
  undeduplicated: 0,
  items: [],
};

type Options = Parameters<Awaited<ReturnType<typeof world>>["call"]>[3];
export type Day = [day: string, event: string, count: number, users: number];

/**
 * A world with two accounts, 1 (`acme`) and 2 (`globex`), and a function for each operation on usage events. The
 * times of events are milliseconds relative to now.
 */
export async function eventWorld() {
  const here = await world();
  const { call } = here;
  await here.account({ name: "Acme", externalId: "acme" });
  await here.account({ name: "Globex", externalId: "globex" });

  function receiptOf({ status, body, text }: Reply) {
    if (status !== 200) throw new Error(`not received: ${text}`);
    const { accepted, duplicates, parked, rejected, ignored, items } = body.data;
    expect(items.length).toBe(duplicates + parked + rejected);
    return { ...body.data, sum: accepted + duplicates + parked + rejected + ignored };
  }

  const jobsWithEventDays = (eventDays: number) => ({
    engine: here.engine,
    jobs: createJobs({ engine: here.engine, reactions, eventDays, changeDays: 400 }),
  });

  return {
    ...here,
    /** Sends events and returns their receipt, whose counts sum to their number. */
    async send(events: unknown[], options?: Options) {
      const { sum, ...receipt } = receiptOf(await call("POST", path, { events }, options));
      expect(sum).toBe(events.length);
      return receipt;
    },
    /** Sends one event and returns "accepted", "ignored" or the code of its item. */
    async outcome(event: unknown, options?: Options): Promise<string> {
      const { items, ignored } = receiptOf(await call("POST", path, { events: [event] }, options));
      return items[0]?.code ?? (ignored === 1 ? "ignored" : "accepted");
    },
    /** The time in milliseconds relative to now, as an ISO timestamp. */
    at: (milliseconds: number) => new Date(here.now() + milliseconds).toISOString(),
    /** The usage of the account in the year around the initial time. */
    async usage(accountId = 1): Promise<Day[]> {
      const reply = await call("GET", `/api/v1/accounts/${accountId}/usage?from=2025-11-15&to=2026-11-15`);
      return reply.body.data.map(({ day, event, count, users }: Body) => [day, event, count, users]);
    },
    async unmatched(query = "", options?: Options) {
      return (await call("GET", `${path}/unmatched${query}`, undefined, options)).body.data;
    },
    /** Runs every due job, by default with the retention of 35 days. */
    runJobs: (eventDays?: number) =>
      runDueJobs(eventDays === undefined ? here : jobsWithEventDays(eventDays)),
  };
}
