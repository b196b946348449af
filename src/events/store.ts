import { eq, sql } from "drizzle-orm";
import { inputs, isInJson, textInput } from "../../db/expressions.ts";
import { events } from "../../db/schema.ts";
import { type AccountReference, findAccount, findAccounts } from "../core/account-reference.ts";
import { findAttachingAccount } from "../core/attachments.ts";
import type { ItemCode } from "../core/errors.ts";
import { maxEventAgeMilliseconds } from "../core/event-limits.ts";
import type { TenantTransaction } from "../core/tenant.ts";
import { insert, select, update } from "../core/tenant-statements.ts";
import { addUsage, type UsageRecord } from "../usage/store.ts";
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
/** Why an event was not accepted. */
export type EventError = { code: ItemCode; detail: string };
/** An event to store, the error of an invalid one, or a Segment call that is no usage event. */
export type EventCandidate = UsageEvent | EventError | "ignored";
export type EventReceipt = {
  accepted: number;
  duplicates: number;
  parked: number;
  rejected: number;
  ignored: number;
  /** Accepted and pending events without a message id: a second copy of them counts again. */
  undeduplicated: number;
  items: ({ index: number } & EventError)[];
};

const target = [events.organizationId, events.messageId];
const insertEvent = insert("events.insert", {
  into: events,
  values: inputs(
    events,
    "accountId",
    "externalId",
    "messageId",
    "event",
    "timestamp",
    "userId",
    "properties",
    "receivedAt",
  ),
  onConflict: { target },
});
const eventsByMessageIds = select("events.byMessageIds", {
  fields: {
    id: events.id,
    messageId: events.messageId,
    receivedAt: events.receivedAt,
    accountId: events.accountId,
    externalId: events.externalId,
  },
  from: events,
  where: isInJson(events.messageId, textInput("messageIds")),
});
const clearMessageId = update("events.clearMessageId", {
  table: events,
  set: { messageId: sql`null` },
  where: eq(events.messageId, textInput("messageId")),
});

const duplicate: EventError = {
  code: "duplicate",
  detail: "an event with this messageId was received before",
};
const pending: EventError = {
  code: "parked",
  detail: "the event is pending: no account has this externalId yet",
};
const unknownAccount: EventError = {
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
  const findAccountOf = await findAccounts(tx, validEvents(candidates).map(accountReferenceOf));
  const accountOf = (event: UsageEvent) => findAccountOf(accountReferenceOf(event));
  const isStored = await storeEvents(tx, validEvents(candidates).filter(hasKnownAccount), accountOf);
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
  { code, detail }: EventError,
): void {
  receipt[count] += 1;
  receipt.items.push({ index, code, detail });
}

function accountReferenceOf({ accountId, externalId }: UsageEvent): AccountReference {
  return { accountId, accountExternalId: externalId };
}

/** Those of the message ids that an event or a call of the deduplication window has. */
export async function findReceivedMessageIds(
  tx: TenantTransaction,
  messageIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (messageIds.length === 0) return new Set();
  const rows = await tx.all(eventsByMessageIds, { messageIds: JSON.stringify(messageIds) });
  return new Set(rows.flatMap((row) => (isRecent(tx, row) ? (row.messageId ?? []) : [])));
}

/** A call that is no event: only its messageId is remembered, as that of an expired event. */
export type RememberedCall = { type: string; messageId: string; userId: string | null; time: number };

/** Remembers the message ids of calls for as long as those of events. */
export async function rememberCalls(tx: TenantTransaction, calls: readonly RememberedCall[]): Promise<void> {
  const events = calls.map(({ type: event, messageId, userId, time: timestamp }) => ({
    ...{ event, messageId, userId, timestamp, properties: null },
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
    return { event, row: { ...event, accountId, externalId, receivedAt: tx.retentionTime } };
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
  const existingById = new Map(existing.map((found) => [found.messageId, found]));
  for (const { event, row } of conflicting) {
    const found = existingById.get(event.messageId);
    if (!found || !(await replaceEvent(tx, found, row))) continue;
    stored.add(event);
    // A further event with this id is a duplicate of this one.
    existingById.delete(event.messageId);
  }
  return (event) => stored.has(event);
}

type EventRow = Omit<UsageEvent, "accountId" | "externalId"> & {
  accountId: number | null;
  externalId: string | null;
  receivedAt: number;
};

/**
 * Stores an event whose message id another one has, unless that is within the deduplication window. Events of a deleted
 * account do not count: a job is still deleting them. Returns whether it is stored.
 */
async function replaceEvent(
  tx: TenantTransaction,
  existing: StoredEvent & { receivedAt: number },
  row: EventRow,
): Promise<boolean> {
  const { messageId } = row;
  if (isRecent(tx, existing) && !(await isOfDeletedAccount(tx, existing))) return false;
  await tx.run(clearMessageId, { messageId });
  return (await tx.count(insertEvent, row)) > 0;
}

/** Whether an event is within the deduplication window. */
function isRecent(tx: TenantTransaction, { receivedAt }: { receivedAt: number }): boolean {
  return receivedAt > tx.retentionTime - maxEventAgeMilliseconds;
}

type StoredEvent = { id: number; accountId: number | null; externalId: string | null };

async function isOfDeletedAccount(
  tx: TenantTransaction,
  { id, accountId, externalId }: StoredEvent,
): Promise<boolean> {
  const ownerId =
    accountId ?? (externalId === null ? undefined : await findAttachingAccount(tx, { externalId, id }));
  return ownerId !== undefined && (await findAccount(tx, { accountId: ownerId })) === undefined;
}
