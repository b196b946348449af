import { Problem } from "../core/errors.ts";
import { type ItemError, itemCodes } from "../core/item-codes.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { findReceivedMessageIds } from "../events/message-ids.ts";
import { type EventReceipt, rememberCalls } from "../events/store.ts";
import { hasTraits } from "../organizations/settings.ts";
import type { TraitsCall, TraitsOutcome } from "./calls.ts";
import { storeGroups } from "./groups.ts";
import { storePersons } from "./persons.ts";

export type TraitsReceipt = {
  traits: number;
  parked: number;
  duplicates: number;
  items: EventReceipt["items"];
};

const items: Partial<Record<Exclude<TraitsOutcome, Problem>, ItemError>> = {
  duplicate: { code: "duplicate", detail: "a call with this messageId was received before" },
  superseded: { code: "superseded", detail: "newer values of all traits are stored" },
  pending: {
    code: "parked",
    detail: "the traits are pending: no account has the group yet, or the person has no name and no address",
  },
  no_account: {
    code: "no_account",
    detail: "no account has this group, and the call has no userId under which it could be pending",
  },
};

/**
 * Stores the traits of the calls when the organization has this on: the traits of `group` calls as accounts, then those
 * of `identify` calls as contacts. Of each member the newest value stays. Undefined when the organization has this off.
 */
export async function storeTraits(
  tx: TenantTransaction,
  calls: readonly TraitsCall[],
): Promise<TraitsReceipt | undefined> {
  if (!(await hasTraits(tx))) return undefined;
  const isReceived = await findReceivedCalls(tx, calls);
  const received = calls.filter((call) => !isReceived(call));
  const outcomes = new Map([...(await storeGroups(tx, received)), ...(await storePersons(tx, received))]);
  await rememberCalls(
    tx,
    received.flatMap((call) => {
      const { messageId, members, time } = call;
      const isEffective = /stored|superseded|pending/.test(String(outcomes.get(call)));
      // An address is a user id, too: an erasure finds the call by it.
      const userId = call.userId ?? (members.email ? String(members.email[0]) : null);
      return messageId !== null && isEffective ? { messageId, userId, time } : [];
    }),
  );
  return receiptOf(calls, (call) => (isReceived(call) ? "duplicate" : (outcomes.get(call) ?? "ignored")));
}

/** Returns whether a call has the messageId of one that was received before, or of an earlier one of these. */
async function findReceivedCalls(
  tx: TenantTransaction,
  calls: readonly TraitsCall[],
): Promise<(call: TraitsCall) => boolean> {
  const withIds = calls.flatMap(({ messageId, index }) => (messageId === null ? [] : { messageId, index }));
  const received = await findReceivedMessageIds(
    tx,
    withIds.map(({ messageId }) => messageId),
  );
  const first = new Map(withIds.toReversed().map(({ messageId, index }) => [messageId, index]));
  return ({ messageId, index }) =>
    messageId !== null && (received.has(messageId) || first.get(messageId) !== index);
}

function receiptOf(
  calls: readonly TraitsCall[],
  outcomeOf: (call: TraitsCall) => TraitsOutcome,
): TraitsReceipt {
  const outcomes = calls.map(outcomeOf);
  const count = (outcome: TraitsOutcome) => outcomes.filter((other) => other === outcome).length;
  return {
    traits: count("stored"),
    parked: count("pending"),
    duplicates: count("duplicate"),
    items: calls.flatMap(({ index }, i) => {
      const item = itemOf(outcomes[i] ?? "ignored");
      return item ? { index, ...item } : [];
    }),
  };
}

function itemOf(outcome: TraitsOutcome): ItemError | undefined {
  if (!(outcome instanceof Problem)) return items[outcome];
  const [error] = outcome.errors;
  const code = itemCodes.find((itemCode) => itemCode === error?.code) ?? "out_of_range";
  return { code, detail: `the traits conflict with stored rows: ${error?.detail ?? outcome.message}` };
}
