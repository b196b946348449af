import { cut } from "./cuts.ts";
import type { Methods } from "./methods.ts";
import { sendParts } from "./parts.ts";
import { type Problem, type ProblemError, problemOf } from "./problem.ts";
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
type UpsertResult = components["schemas"]["AccountUpsertResult"];
type Upserted = { results: UpsertResult[] };

/**
 * Creates or updates accounts by their `externalId`, in requests of at most 1,000 accounts, 5,000 rows and 1 MiB. Yields
 * a result for each account, in order; one that fails does not affect the others, also one that is too large or null. Throws
 * `ProblemError` when a request fails for another reason. The results that were yielded before are stored, and those of
 * the same 1,000 accounts may be.
 */
export async function* upsertAccounts(
  { POST }: Methods,
  accounts: Iterable<AccountUpsert> | AsyncIterable<AccountUpsert>,
): AsyncGenerator<AccountResult, void, undefined> {
  for await (const batch of cut(accounts, { maxItems: 1_000, maxRows: 5_000, rowsOf: countRows })) {
    const results = new Map<number, UpsertResult>();
    for await (const part of sendParts(batch, send)) {
      if ("error" in part) results.set(part.index, { result: "failed", problem: problemOf(part.error) });
      else for (const [i, result] of part.data.results.entries()) results.set(part.indexes[i] ?? i, result);
    }
    yield* resultsOf(batch, results);
  }

  async function send(batch: readonly AccountUpsert[]): Promise<Upserted> {
    return (await POST("/api/v1/accounts/batch", { body: { accounts: [...batch] } })).data.data;
  }
}

function* resultsOf(
  accounts: readonly AccountUpsert[],
  results: ReadonlyMap<number, UpsertResult>,
): Generator<AccountResult> {
  for (const [i, account] of accounts.entries()) {
    const result = results.get(i);
    // Safe: the problem of an account is that of a request by itself.
    if (result) yield { account, ...result } as AccountResult;
  }
}

/** The rows of an account, which may be anything at run time. */
function countRows(account: AccountUpsert | null): number {
  const lists: unknown[] = [account?.contacts, account?.meetings, account?.requests];
  return lists.reduce<number>((count, list) => count + (Array.isArray(list) ? list.length : 0), 1);
}

const countNames = ["accepted", "duplicates", "parked", "rejected", "ignored", "undeduplicated"] as const;
const emptyReceipt = { accepted: 0, duplicates: 0, parked: 0, rejected: 0, ignored: 0, undeduplicated: 0 };

/**
 * Sends usage events, in requests of at most 1,000 events and 1 MiB. Resolves with the sum of the receipts; the indexes of
 * `items` are those in `events`. An event that fails, even one that is too large, does not affect the others. Throws
 * `ProblemError` for other failures: then send all again, for stored events with a `messageId` are duplicates.
 */
export async function sendEvents(
  { POST }: Methods,
  events: Iterable<UsageEvent> | AsyncIterable<UsageEvent>,
): Promise<EventReceipt> {
  const sum: EventReceipt = { ...emptyReceipt, items: [] };
  let sentCount = 0;
  for await (const batch of cut(events, { maxItems: 1_000 })) {
    const items: EventReceipt["items"] = [];
    for await (const part of sendParts(batch, send)) {
      const receipt = "error" in part ? rejectedReceipt(part.error) : part.data;
      const indexes = "error" in part ? [part.index] : part.indexes;
      for (const name of countNames) sum[name] += receipt[name];
      for (const item of receipt.items)
        items.push({ ...item, index: sentCount + (indexes[item.index] ?? item.index) });
    }
    sum.items.push(...items.sort((a, b) => a.index - b.index));
    sentCount += batch.length;
  }
  return sum;

  async function send(batch: readonly UsageEvent[]): Promise<EventReceipt> {
    return (await POST("/api/v1/events", { body: { events: [...batch] } })).data.data;
  }
}

/** The receipt of an event whose request the server rejects. */
function rejectedReceipt({ status, detail }: ProblemError): EventReceipt {
  const code = status === 413 ? "too_large" : "too_deep";
  return { ...emptyReceipt, rejected: 1, items: [{ index: 0, code, detail }] };
}
