import { eq, sql } from "drizzle-orm";
import { inputs, textInput } from "../../db/expressions.ts";
import { events } from "../../db/schema.ts";
import { findAccount, findAccounts } from "../core/account-reference.ts";
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
const byMessageId = eq(events.messageId, textInput("messageId"));
const eventByMessageId = select("events.byMessageId", {
  fields: {
    id: events.id,
    receivedAt: events.receivedAt,
    accountId: events.accountId,
    externalId: events.externalId,
  },
  from: events,
  where: byMessageId,
});
const clearMessageId = update("events.clearMessageId", {
  table: events,
  set: { messageId: sql`null` },
  where: byMessageId,
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
  const accountIds = await findAccountsOf(tx, candidates);
  const records: UsageRecord[] = [];
  const unmatched: UsageEvent[] = [];
  for (const [index, candidate] of candidates.entries()) {
    if (candidate === "ignored") receipt.ignored += 1;
    else if ("code" in candidate) reject(receipt, index, "rejected", candidate);
    else {
      const accountId = accountIds.get(candidate.accountId ?? candidate.externalId);
      const error = await receiveEvent(tx, candidate, accountId);
      if (error) reject(receipt, index, error === duplicate ? "duplicates" : "rejected", error);
      else {
        if (candidate.messageId === null) receipt.undeduplicated += 1;
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
  }
  await addUsage(tx, records);
  await recordPending(tx, unmatched);
  return receipt;
}

/** Stores an event, as pending without `accountId`. Returns the error of an event that was not stored. */
async function receiveEvent(
  tx: TenantTransaction,
  event: UsageEvent,
  accountId: number | undefined,
): Promise<EventError | undefined> {
  if (accountId === undefined && event.accountId !== undefined) return unknownAccount;
  return (await storeEvent(tx, event, accountId)) ? undefined : duplicate;
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

/** The ids of the events' accounts, by accountId or externalId as in the event. Reads each account once. */
async function findAccountsOf(
  tx: TenantTransaction,
  candidates: readonly EventCandidate[],
): Promise<Map<string | number | undefined, number>> {
  const validEvents = candidates.filter((candidate) => typeof candidate === "object" && "event" in candidate);
  const externalIds = validEvents.flatMap((event) =>
    event.accountId === undefined ? (event.externalId ?? []) : [],
  );
  const accountIds = new Map<string | number | undefined, number>(
    await findAccounts(tx, [...new Set(externalIds)]),
  );
  for (const accountId of new Set(validEvents.map((event) => event.accountId)))
    if (accountId !== undefined && (await findAccount(tx, { accountId })) !== undefined)
      accountIds.set(accountId, accountId);
  return accountIds;
}

/**
 * Returns false, without storing, for a second event with a message id within the deduplication window. Events of a
 * deleted account do not count: a job is still deleting them.
 */
async function storeEvent(
  tx: TenantTransaction,
  event: UsageEvent,
  accountId: number | undefined,
): Promise<boolean> {
  const { messageId } = event;
  const row = {
    ...event,
    accountId: accountId ?? null,
    externalId: accountId === undefined ? (event.externalId ?? null) : null,
    receivedAt: tx.retentionTime,
  };
  if ((await tx.run(insertEvent, row)) > 0) return true;
  const existing = await tx.first(eventByMessageId, { messageId });
  if (!existing) return false;
  const isRecent = existing.receivedAt > tx.retentionTime - maxEventAgeMilliseconds;
  if (isRecent && !(await isOfDeletedAccount(tx, existing))) return false;
  await tx.run(clearMessageId, { messageId });
  return (await tx.run(insertEvent, row)) > 0;
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
