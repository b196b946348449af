import { cut } from "./cuts.ts";
import type { Methods } from "./methods.ts";
import type { Problem } from "./problem.ts";
import type { components } from "./schema.ts";

/** An account with its contacts, meetings and requests. */
export type AccountUpsert = components["schemas"]["AccountUpsert"];
export type UsageEvent = components["schemas"]["Event"];
export type EventReceipt = components["schemas"]["EventReceipt"];

/** What became of an account. */
export type AccountResult = {
  /** The account that was sent. */
  account: AccountUpsert;
  result: components["schemas"]["AccountUpsertResult"]["result"];
  /** The id of the account, unless it failed. */
  id?: number;
  /** Why the account failed. Its pointers are into the request: `/accounts/3/name`. */
  problem?: Problem;
};

/**
 * Creates or updates accounts by their `externalId`, in requests of at most 1,000 accounts, 5,000 rows and 1 MiB. Yields
 * a result for each account, in order; an account that fails does not affect the others. Throws `ProblemError` when a
 * whole request fails. The results that were yielded before are stored.
 */
export async function* upsertAccounts(
  { POST }: Methods,
  accounts: Iterable<AccountUpsert> | AsyncIterable<AccountUpsert>,
): AsyncGenerator<AccountResult, void, undefined> {
  for await (const batch of cut(accounts, { maxItems: 1_000, maxRows: 5_000, rowsOf: countRows })) {
    const { data } = await POST("/api/v1/accounts/batch", { body: { accounts: batch } });
    for (const [i, account] of batch.entries()) {
      const result = data.data.results[i];
      // Safe: the problem of an account is that of a request by itself.
      if (result) yield { account, ...result } as AccountResult;
    }
  }
}

function countRows({ contacts = [], meetings = [], requests = [] }: AccountUpsert): number {
  return 1 + contacts.length + meetings.length + requests.length;
}

/**
 * Sends usage events, in requests of at most 1,000 events and 1 MiB. Resolves with the sum of the receipts; the indexes of
 * `items` are those in `events`. An event that fails does not affect the others. Throws `ProblemError` when a whole
 * request fails: then send all again. Events with a `messageId` that were stored before are duplicates.
 */
export async function sendEvents(
  { POST }: Methods,
  events: Iterable<UsageEvent> | AsyncIterable<UsageEvent>,
): Promise<EventReceipt> {
  const sum: EventReceipt = {
    accepted: 0,
    duplicates: 0,
    parked: 0,
    rejected: 0,
    ignored: 0,
    undeduplicated: 0,
    items: [],
  };
  let sentCount = 0;
  for await (const batch of cut(events, { maxItems: 1_000 })) {
    const { data } = await POST("/api/v1/events", { body: { events: batch } });
    const { items, ...counts } = data.data;
    for (const name of ["accepted", "duplicates", "parked", "rejected", "ignored", "undeduplicated"] as const)
      sum[name] += counts[name];
    for (const item of items) sum.items.push({ ...item, index: sentCount + item.index });
    sentCount += batch.length;
  }
  return sum;
}
