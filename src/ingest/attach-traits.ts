import { eq, lt, sql } from "drizzle-orm";
import { allOf, integerInput, textInput } from "../../db/expressions.ts";
import { pendingTraits } from "../../db/schema.ts";
import { type DueCondition, hasRow } from "../core/due-jobs.ts";
import { maxPendingMilliseconds } from "../core/event-limits.ts";
import { Pauses } from "../core/pauses.ts";
import type { Tenant, TenantTransaction } from "../core/tenant.ts";
import { select, update } from "../core/tenant-statements.ts";
import { storeAccount } from "./groups.ts";
import {
  deletePendingTraits,
  isOfPending,
  type PendingTraits,
  pendingFields,
  presentPending,
} from "./pending-traits.ts";
import { readRows, storeContact } from "./persons.ts";

/** Pending traits that are stored in one transaction. */
const batchSize = 100;

const isDue = eq(pendingTraits.isDue, sql`1`);
const isExpired = lt(pendingTraits.receivedAt, integerInput("pendingSince"));
const isOfGroup = eq(pendingTraits.groupId, textInput("groupId"));
const key = { type: pendingTraits.type, id: pendingTraits.id };
const ofGroup = select("pendingTraits.ofGroup", { fields: key, from: pendingTraits, where: isOfGroup });
const due = select("pendingTraits.due", {
  fields: pendingFields,
  from: pendingTraits,
  where: isDue,
  paged: true,
});
const expired = select("pendingTraits.expired", {
  fields: key,
  from: pendingTraits,
  where: isExpired,
  paged: true,
});
const markDue = update("pendingTraits.markDue", {
  table: pendingTraits,
  set: { isDue: sql`1` },
  where: isOfGroup,
});
const clearDue = update("pendingTraits.clearDue", {
  table: pendingTraits,
  set: { isDue: sql`0` },
  where: allOf(isDue, isOfPending),
});

/**
 * Reaction to an account that takes an externalId: its pending traits are stored before the transaction ends, and its
 * pending persons become contacts. More than 100 are stored in steps by the job.
 */
export async function attachPendingTraits(tx: TenantTransaction, groupId: string): Promise<void> {
  if (!(await tx.findRare(ofGroup, { groupId }))) return;
  await tx.run(markDue, { groupId });
  tx.combined.defer("pending traits", attachBatch);
}

/** Stores one batch of due traits. A person in conflict with a contact stays pending. */
async function attachBatch(tx: TenantTransaction): Promise<void> {
  const found = (await tx.all(due, { limit: batchSize, offset: 0 })).map(presentPending);
  const rows = await readRows(
    tx,
    found.map(({ type, id, group, members }) => ({
      userId: type === "user" ? id : undefined,
      group,
      members,
    })),
  );
  const pauses = new Pauses(tx);
  for (const pending of found) {
    await pauses.next();
    if (await store(pending)) await deletePendingTraits(tx, [pending]);
    else await tx.run(clearDue, { type: pending.type, id: pending.id });
  }

  async function store({ type, id, group, members }: PendingTraits): Promise<boolean> {
    if (type === "user") {
      const outcome = await storeContact(tx, rows, { userId: id, group, members });
      return outcome !== undefined && outcome.result !== "ignored";
    }
    const account = rows.accounts.get(id);
    return account !== undefined && (await storeAccount(tx, account, id, members)) !== undefined;
  }
}

const sinceOf = (retentionTime: number) => retentionTime - maxPendingMilliseconds;

export const pendingTraitsDue: DueCondition = {
  isDue: sql`(${hasRow({ from: pendingTraits, where: isDue })} or ${hasRow({ from: pendingTraits, where: isExpired })})`,
  inputs: ({ retentionTime }) => ({ pendingSince: sinceOf(retentionTime) }),
};

/** Job: stores a batch of due traits, and deletes a batch of expired ones. Returns whether there may be more. */
export async function processPendingTraits(tenant: Tenant): Promise<boolean> {
  const page = { pendingSince: sinceOf(tenant.retentionTime), limit: batchSize, offset: 0 };
  const hasWork = await tenant.read(async (snapshot) => {
    const one = { ...page, limit: 1 };
    return (await snapshot.all(due, one)).length > 0 || (await snapshot.all(expired, one)).length > 0;
  });
  if (!hasWork) return false;
  const write = async (tx: TenantTransaction) => {
    await attachBatch(tx);
    await deletePendingTraits(tx, await tx.all(expired, page));
  };
  await tenant.write(write, { isBulk: true });
  return true;
}
