import type { TenantTransaction } from "../core/tenant.ts";
import { findReceivedMessageIds } from "../events/deduplication.ts";
import { type EventReceipt, rememberCalls } from "../events/store.ts";
import { hasTraits } from "../organizations/settings.ts";
import type { TraitsCall, TraitsOutcome } from "./calls.ts";
import { storeGroups } from "./groups.ts";
import { storePersons } from "./persons.ts";

/** The receipt of the calls. */
export type TraitsReceipt = {
  traits: number;
  parked: number;
  duplicates: number;
  items: EventReceipt["items"];
};

const details = {
  duplicate: "a call with this messageId was received before",
  superseded: "newer values of all traits are stored",
  parked:
    "the person is pending: no account has the group of the user yet, or there is no name and no address",
  no_account: "no account has this group, and the call has no userId under which it could be pending",
};

/**
 * Stores the traits of the calls when the organization has this on: those of `group` as accounts, then those of
 * `identify` as contacts. For each member the newest value stays. Undefined when the organization has this off.
 */
export async function storeTraits(
  tx: TenantTransaction,
  calls: readonly TraitsCall[],
): Promise<TraitsReceipt | undefined> {
  if (!(await hasTraits(tx))) return undefined;
  const outcomes = new Map<TraitsCall, TraitsOutcome>();
  const received = await withoutDuplicates(tx, calls, outcomes);
  await storeGroups(tx, received, outcomes);
  await storePersons(tx, received, outcomes);
  const isEffective = (call: TraitsCall) => /stored|superseded|parked/.test(outcomes.get(call)?.result ?? "");
  await rememberCalls(
    tx,
    received.flatMap((call) => {
      const { type, messageId, userId = null, time } = call;
      return messageId !== null && isEffective(call) ? { type, messageId, userId, time } : [];
    }),
  );
  return receiptOf(outcomes);
}

/** The calls whose messageId was not received before; adds the outcomes of the others. */
async function withoutDuplicates(
  tx: TenantTransaction,
  calls: readonly TraitsCall[],
  outcomes: Map<TraitsCall, TraitsOutcome>,
): Promise<TraitsCall[]> {
  const messageIds = calls.flatMap(({ messageId }) => messageId ?? []);
  const received = new Set(await findReceivedMessageIds(tx, messageIds));
  return calls.filter((call) => {
    const isDuplicate = call.messageId !== null && received.has(call.messageId);
    if (isDuplicate) outcomes.set(call, { result: "duplicate" });
    else if (call.messageId !== null) received.add(call.messageId);
    return !isDuplicate;
  });
}

function receiptOf(outcomes: ReadonlyMap<TraitsCall, TraitsOutcome>): TraitsReceipt {
  const receipt: TraitsReceipt = { traits: 0, parked: 0, duplicates: 0, items: [] };
  for (const [{ index }, outcome] of outcomes) {
    const { result: code } = outcome;
    if (code === "stored" || (code === "superseded" && outcome.isEqual)) receipt.traits += 1;
    if (code === "parked") receipt.parked += 1;
    if (code === "duplicate") receipt.duplicates += 1;
    if (code !== "stored" && code !== "ignored") receipt.items.push({ index, code, detail: details[code] });
  }
  return receipt;
}
