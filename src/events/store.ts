import { inputs } from "../../db/expressions.ts";
import { events } from "../../db/schema.ts";
import type { ItemError } from "../core/item-codes.ts";
import { type AccountReference, findAccounts } from "../core/resource/account-reference.ts";
import { insert } from "../core/tenant/statements.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { addUsage, type UsageRecord } from "../usage/store.ts";
import {
  clearMessageIds,
  eventsByMessageIds,
  findErasedIds,
  findRemembered,
  REMEMBERED_CALL,
  readMessageIdKey,
} from "./message-ids.ts";
import { recordPending } from "./pending.ts";

/** A usage event, validated. Timestamps are milliseconds. */
export type UsageEvent = {
  event: string;
  accountId?: number | undefined;
  externalId?: string | undefined;
  messageId: string | null;
  timestamp: number;
  userId: string | null;
  /** JSON text. */
  properties: string | null;
};
/** An event to store, the error of an invalid one, or a Segment call that is no usage event. */
export type EventCandidate = UsageEvent | ItemError | "ignored";
export type EventReceipt = {
  accepted: number;
  duplicates: number;
  parked: number;
  rejected: number;
  ignored: number;
  /** Accepted and pending events without a message id: a second copy of them counts again. */
  undeduplicated: number;
  items: ({ index: number } & ItemError)[];
};

const target = [events.organizationId, events.messageId];
const insertEvent = insert("events.insert", {
  into: events,
  values: {
    ...inputs(events, "accountId", "externalId", "messageId", "event", "timestamp"),
    ...inputs(events, "userId", "properties", "receivedAt"),
  },
  onConflict: { target },
});
const duplicate: ItemError = {
  code: "duplicate",
  detail: "an event with this messageId was received before",
};
const pending: ItemError = {
  code: "parked",
  detail: "the event is pending: no account has this externalId yet",
};
const unknownAccount: ItemError = {
  code: "unknown_account",
  detail: "there is no account with this accountId",
};

/**
 * Stores the events of one request and adds them to the totals of their accounts' days. Events whose externalId no
 * account has become pending. An event that is rejected does not affect the others.
 */
export async function receiveEvents(
  tx: TenantTransaction,
  candidates: readonly EventCandidate[],
): Promise<EventReceipt> {
  const receipt = emptyReceipt();
  const valid = validEvents(candidates);
  const messageIds = valid.flatMap(({ messageId }) => messageId ?? []);
  const [findAccountOf, key] = await Promise.all([
    findAccounts(tx, valid.map(accountReferenceOf)),
    messageIds.length > 0 ? readMessageIdKey(tx) : undefined,
  ]);
  const accountOf = (event: UsageEvent) => findAccountOf(accountReferenceOf(event));
  const erasedIds = await findErasedIds(tx, messageIds, key);
  const received = valid.filter((event) => hasKnownAccount(event) && !erasedIds.has(event.messageId ?? ""));
  const isStored = await storeEvents(tx, received, accountOf);
  const records: UsageRecord[] = [];
  const unmatched: UsageEvent[] = [];
  for (const [index, candidate] of candidates.entries()) {
    if (candidate === "ignored") receipt.ignored += 1;
    else if ("code" in candidate) reject(receipt, index, "rejected", candidate);
    else if (!hasKnownAccount(candidate)) reject(receipt, index, "rejected", unknownAccount);
    else if (!isStored(candidate)) reject(receipt, index, "duplicates", duplicate);
    else {
      if (candidate.messageId === null) receipt.undeduplicated += 1;
      const accountId = accountOf(candidate);
      if (accountId === undefined) {
        unmatched.push(candidate);
        reject(receipt, index, "parked", pending);
      } else {
        receipt.accepted += 1;
        const { event, userId, timestamp: at } = candidate;
        records.push({ accountId, event, userId, at });
      }
    }
  }
  await addUsage(tx, records);
  await recordPending(tx, unmatched);
  return receipt;

  function hasKnownAccount(event: UsageEvent): boolean {
    return event.accountId === undefined || accountOf(event) !== undefined;
  }
}

function validEvents(candidates: readonly EventCandidate[]): UsageEvent[] {
  return candidates.filter((candidate) => typeof candidate === "object" && "event" in candidate);
}

function emptyReceipt(): EventReceipt {
  return {
    accepted: 0,
    duplicates: 0,
    parked: 0,
    rejected: 0,
    ignored: 0,
    undeduplicated: 0,
    items: [],
  };
}

function reject(
  receipt: EventReceipt,
  index: number,
  count: "duplicates" | "parked" | "rejected",
  { code, detail }: ItemError,
): void {
  receipt[count] += 1;
  receipt.items.push({ index, code, detail });
}

function accountReferenceOf({ accountId, externalId }: UsageEvent): AccountReference {
  return { accountId, accountExternalId: externalId };
}

/** A call that is no event: only its messageId is remembered. */
type RememberedCall = { messageId: string; userId: string | null; time: number };

/** Remembers message ids of calls as long as message ids of events: as expired events of a name that no event has. */
export async function rememberCalls(tx: TenantTransaction, calls: readonly RememberedCall[]): Promise<void> {
  const events = calls.map(({ time: timestamp, ...call }) => ({
    ...{ ...call, timestamp, event: REMEMBERED_CALL, properties: null },
  }));
  if (events.length > 0) await storeEvents(tx, events, () => undefined);
}

/** Stores the events, as pending without an account. Returns whether an event is stored, or a duplicate. */
async function storeEvents(
  tx: TenantTransaction,
  received: readonly UsageEvent[],
  accountOf: (event: UsageEvent) => number | undefined,
): Promise<(event: UsageEvent) => boolean> {
  const rows = received.map((event) => {
    const accountId = accountOf(event) ?? null;
    const externalId = accountId === null ? (event.externalId ?? null) : null;
    return { event, row: { ...event, accountId, externalId, receivedAt: tx.receiptTime } };
  });
  const inserted = await tx.insertAll(
    insertEvent,
    rows.map(({ row }) => row),
  );
  const stored = new Set(rows.flatMap(({ event }, i) => (inserted[i] ? [event] : [])));
  const conflicting = rows.filter((_, i) => !inserted[i]);
  if (conflicting.length === 0) return (event) => stored.has(event);
  const messageIds = JSON.stringify(conflicting.map(({ event }) => event.messageId));
  const existing = await tx.all(eventsByMessageIds, { messageIds });
  const remembered = await findRemembered(tx, existing);
  // An event is stored if the one with its message id is not remembered. A further event with the id is a duplicate.
  const cleared = new Set(existing.flatMap((found) => (remembered.has(found) ? [] : found.messageId)));
  await clearMessageIds(tx, [...cleared]);
  const replacing = conflicting.filter(({ event }) => cleared.delete(event.messageId));
  await tx.insertAll(
    insertEvent,
    replacing.map(({ row }) => row),
  );
  for (const { event } of replacing) stored.add(event);
  return (event) => stored.has(event);
}
