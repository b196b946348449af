import { max, min } from "drizzle-orm";
import type { DerivedFault } from "../../db/derived-faults.ts";
import { isConstraintViolation } from "../../db/errors.ts";
import { events } from "../../db/schema.ts";
import { findAttachingIds } from "../core/attaching-events.ts";
import { rewriteAttributeValues } from "../core/attributes/values.ts";
import { addToIndex, removeFromIndex } from "../core/changes/account-changes.ts";
import { select } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { hasExternalId } from "../events/pending.ts";
import { resetScore } from "../health-scores/compare.ts";
import { addToCounter, counters } from "./counters.ts";
import { repairTexts } from "./texts.ts";
import { addToDayEvents, addToDayUsers } from "./usage.ts";

const pendingEvents = select("repairs.pendingEvents", {
  fields: { firstAt: min(events.timestamp), lastAt: max(events.timestamp) },
  from: events,
  where: hasExternalId,
});

/**
 * Derives a stored value of the tenant's organization again, in transactions that change one row. A number gets the
 * difference added, which stays right when others change it. Resolves with whether a row changed: false, too, where a
 * constraint rejects the value, such as before another value of the row is repaired.
 */
export async function repair(tenant: Tenant, fault: DerivedFault): Promise<boolean> {
  try {
    if (fault.kind === "dayEvents") return await addToDayEvents(tenant, dayOf(fault), fault.difference);
    return await tenant.write((tx) => repairRow(tx, fault));
  } catch (error) {
    if (isConstraintViolation(error)) return false;
    throw error;
  }
}

function dayOf({ key: [accountId, day, event] }: DerivedFault) {
  return { accountId: Number(accountId), day: Number(day), event: String(event) };
}

async function repairRow(tx: TenantTransaction, fault: DerivedFault): Promise<boolean> {
  const { kind, key, difference } = fault;
  const [first = "", second = "", third = ""] = key;
  switch (kind) {
    case "accountCounts":
      return addToCounter(tx, counters.accountCounts, { status: first, tier: second, count: difference });
    case "pendingEvents":
      return addToPending(tx, String(first), difference);
    case "dayUsers":
      return addToDayUsers(tx, dayOf(fault), difference);
    case "sumUserAccounts": {
      const values = { day: first, event: second, userId: third, accountCount: difference };
      return addToCounter(tx, counters.sumUserAccounts, values);
    }
    case "sumEvents": {
      const added = { users: 0, accountCount: 0 };
      const values = { day: first, event: second, count: difference };
      return addToCounter(tx, counters.sumEvents, values, async () => added);
    }
    case "sumAccounts":
      return addToCounter(tx, counters.sumAccounts, { day: first, event: second, accountCount: difference });
    case "sumUsers":
      return addToCounter(tx, counters.sumUsers, { day: first, event: second, users: difference });
    case "accountChanges": {
      const entry = { sequence: Number(first), accountId: Number(second) };
      await tx.run(difference > 0 ? addToIndex : removeFromIndex, entry);
      return true;
    }
    case "accountAttributes":
    case "contactAttributes":
      await rewriteAttributeValues(tx, kind === "accountAttributes" ? "account" : "contact", Number(first));
      return true;
    case "accountAttributeNames":
    case "contactAttributeNames": {
      const resource = kind === "accountAttributeNames" ? "account" : "contact";
      const values = { resource, name: first, type: second, count: difference };
      return addToCounter(tx, counters.attributeNames, values);
    }
    case "foldedTexts":
      return repairTexts(tx, String(first), Number(second));
    case "scores":
      return (await tx.count(resetScore, { accountId: Number(first) })) > 0;
    default:
      return false;
  }
}

/** Events that are being attached are counted elsewhere, and the job changes both counts: they are left for later. */
async function addToPending(tx: TenantTransaction, externalId: string, count: number): Promise<boolean> {
  if ((await findAttachingIds(tx, JSON.stringify([externalId]))).size > 0) return false;
  return addToCounter(tx, counters.pendingEvents, { externalId, count }, async () => {
    const found = await tx.first(pendingEvents, { externalId });
    return found?.firstAt == null ? undefined : { firstAt: found.firstAt, lastAt: found.lastAt };
  });
}
