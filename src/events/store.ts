import { eq, sql } from "drizzle-orm";
import { events } from "../../db/schema.ts";
import { inputs, textInput } from "../../db/statements.ts";
import { findAccount, findAccounts } from "../accounts/reference.ts";
import type { ItemCode } from "../core/errors.ts";
import { insert, select, type Tenant, type TenantTransaction, update } from "../core/tenant.ts";
import { millisecondsOfDay } from "../core/timestamps.ts";
import { addUsage, type UsageRecord } from "../usage/store.ts";
import { recordPending } from "./pending.ts";

/** Something that a customer did with the product, as it is to be stored. Times are milliseconds. */
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
/** Why an event is not among those accepted. */
export type EventError = { code: ItemCode; detail: string };
/** An event that is to be stored, one that was refused before, or one that says nothing of usage. */
export type EventCandidate = UsageEvent | EventError | "ignored";
export type EventReceipt = {
  accepted: number;
  duplicates: number;
  parked: number;
  rejected: number;
  ignored: number;
  /** Of those accepted and parked: how many have no message id, so that a second copy counts again. */
  undeduplicated: number;
  items: ({ index: number } & EventError)[];
};

/** For how long, in milliseconds, a second copy of an event is told by its message id. */
export const deduplicationWindow = 35 * millisecondsOfDay;

const target = [events.organizationId, events.messageId];
const insertEvent = insert({
  into: events,
  values: inputs(
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
const firstCopy = select({ fields: { receivedAt: events.receivedAt }, from: events, where: byMessageId });
const clearMessageId = update({ table: events, set: { messageId: sql`null` }, where: byMessageId });

const duplicate: EventError = {
  code: "duplicate",
  detail: "an event with this messageId was received before",
};
const pending: EventError = {
  code: "parked",
  detail: "no account has this externalId yet; the event waits for one",
};
const unknownAccount: EventError = {
  code: "unknown_account",
  detail: "there is no account with this accountId",
};

/**
 * Stores the events of one request in one transaction, counts them into their accounts' days, and parks
 * those whose externalId no account has. Each event's outcome is its own.
 */
export function receiveEvents(tenant: Tenant, candidates: readonly EventCandidate[]): Promise<EventReceipt> {
  return tenant.write(async (tx) => {
    const receipt = emptyReceipt();
    const accounts = await findAccountsOf(tx, candidates);
    const uses: UsageRecord[] = [];
    const waiting: UsageEvent[] = [];
    for (const [index, candidate] of candidates.entries()) {
      if (candidate === "ignored") receipt.ignored += 1;
      else if ("code" in candidate) reject(receipt, index, "rejected", candidate);
      else {
        const accountId = accounts.get(candidate.accountId ?? candidate.externalId);
        if (accountId === undefined && candidate.accountId !== undefined)
          reject(receipt, index, "rejected", unknownAccount);
        else if (!(await storeEvent(tx, candidate, accountId, tenant.now)))
          reject(receipt, index, "duplicates", duplicate);
        else {
          if (candidate.messageId === null) receipt.undeduplicated += 1;
          if (accountId === undefined) {
            waiting.push(candidate);
            reject(receipt, index, "parked", pending);
          } else {
            receipt.accepted += 1;
            const { event, userId, timestamp: at } = candidate;
            uses.push({ accountId, event, userId, at });
          }
        }
      }
    }
    await addUsage(tx, uses);
    await recordPending(tx, waiting);
    return receipt;
  });
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

/** The accounts that the events name, by accountId or else by externalId; each is looked for once. */
async function findAccountsOf(
  tx: TenantTransaction,
  candidates: readonly EventCandidate[],
): Promise<Map<string | number | undefined, number>> {
  const named = candidates.filter((one) => typeof one === "object" && "event" in one);
  const externalIds = named.flatMap((one) => (one.accountId === undefined ? (one.externalId ?? []) : []));
  const found = new Map<string | number | undefined, number>(
    await findAccounts(tx, [...new Set(externalIds)]),
  );
  for (const accountId of new Set(named.map((one) => one.accountId)))
    if (accountId !== undefined && (await findAccount(tx, { accountId })) !== undefined)
      found.set(accountId, accountId);
  return found;
}

/** Whether the event is stored now: not when one with its message id was, within the time that those are told. */
async function storeEvent(
  tx: TenantTransaction,
  event: UsageEvent,
  accountId: number | undefined,
  now: number,
): Promise<boolean> {
  const { messageId } = event;
  const row = {
    ...event,
    accountId: accountId ?? null,
    externalId: accountId === undefined ? (event.externalId ?? null) : null,
    receivedAt: now,
  };
  if ((await tx.run(insertEvent, row)) > 0) return true;
  const copy = await tx.first(firstCopy, { messageId });
  if (!copy || copy.receivedAt > now - deduplicationWindow) return false;
  await tx.run(clearMessageId, { messageId });
  return (await tx.run(insertEvent, row)) > 0;
}
