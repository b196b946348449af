import { eq, lt, sql } from "drizzle-orm";
import { Pauses } from "../../db/event-loop.ts";
import { allOf, integerInput, isInJson, selective, textInput } from "../../db/expressions.ts";
import { pendingTraits } from "../../db/schema.ts";
import { attachBeforeEnd, type TakenIds } from "../core/attaching-events.ts";
import { type DueCondition, hasRow } from "../core/due-jobs.ts";
import { Problem } from "../core/errors.ts";
import { maxPendingMilliseconds } from "../core/event-limits.ts";
import { writeBatchSize } from "../core/pauses.ts";
import { select, update } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import type { StoredTraits } from "./calls.ts";
import { storeAccount } from "./groups.ts";
import {
  deletePendingTraits,
  isOneOfPending,
  type PendingTraits,
  pendingFields,
  presentPending,
} from "./pending-traits.ts";
import { readRows } from "./person-rows.ts";
import { storeContact } from "./persons.ts";

const isDue = selective(eq(pendingTraits.isDue, sql`1`));
const isExpired = lt(pendingTraits.receivedAt, integerInput("pendingSince"));
const isOfGroup = selective(eq(pendingTraits.groupId, textInput("groupId")));
const key = { type: pendingTraits.type, id: pendingTraits.id };
const isOfGroups = isInJson(pendingTraits.groupId, textInput("groupIds"));
const groups = select("pendingTraits.groups", {
  fields: { groupId: pendingTraits.groupId },
  from: pendingTraits,
  where: isOfGroups,
  groupBy: [pendingTraits.groupId],
});
const due = select("pendingTraits.due", {
  fields: pendingFields,
  from: pendingTraits,
  where: isDue,
  paged: true,
});
const usersOfGroup = select("pendingTraits.usersOfGroup", {
  fields: pendingFields,
  from: pendingTraits,
  where: allOf(isOfGroup, eq(pendingTraits.type, sql`'user'`)),
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
  where: isOneOfPending,
});

/**
 * Reaction to an account that gets an externalId: the first 100 users of the group become contacts before the
 * transaction ends. The job stores the rest, also the traits of the groups: the reply has the account of the request.
 */
export function attachPendingTraits(tx: TenantTransaction, externalId: string, accountId: number): void {
  attachBeforeEnd(tx, "pending traits", { externalId, accountId }, attachUsers);
}

async function attachUsers(tx: TenantTransaction, taken: TakenIds): Promise<void> {
  const groupIds = JSON.stringify([...taken.keys()]);
  for (const { groupId } of await tx.allRare(groups, { groupIds }, taken.size)) {
    await tx.run(markDue, { groupId });
    const users = await tx.all(usersOfGroup, { groupId, limit: writeBatchSize, offset: 0 });
    await attach(tx, users.map(presentPending));
  }
}

/** Stores pending traits whose account exists. A person in conflict with a contact stays pending. */
async function attach(tx: TenantTransaction, pending: readonly PendingTraits[]): Promise<void> {
  const rows = await readRows(
    tx,
    pending.map(({ type, id, group, members }) => ({
      ...{ userId: type === "user" ? id : undefined, group, members },
    })),
  );
  const pauses = new Pauses(tx);
  const [stored, failed]: [PendingTraits[], PendingTraits[]] = [[], []];
  for (const traits of pending) {
    await pauses.next();
    const result = await store(traits);
    (result === undefined || result instanceof Problem ? failed : stored).push(traits);
  }
  await deletePendingTraits(tx, stored);
  for (const [type, keys] of Map.groupBy(failed, (key) => key.type))
    await tx.run(clearDue, { type, ids: JSON.stringify(keys.map(({ id }) => id)) });

  async function store({ type, id, group, members }: PendingTraits): Promise<StoredTraits | undefined> {
    if (type === "user") return storeContact(tx, rows, { userId: id, group, members });
    const account = rows.accounts.get(id);
    return account && storeAccount(tx, account, id, members);
  }
}

const sinceOf = (retentionTime: number) => retentionTime - maxPendingMilliseconds;

export const pendingTraitsDue: DueCondition = {
  isDue: sql`(${hasRow({ from: pendingTraits, where: eq(pendingTraits.isDue, sql`1`) })} or ${hasRow({ from: pendingTraits, where: isExpired })})`,
  inputs: ({ retentionTime }) => ({ pendingSince: sinceOf(retentionTime) }),
};

/** Job: stores a batch of due traits, and deletes a batch of expired ones. Returns whether there may be more. */
export function processPendingTraits(tenant: Tenant): Promise<boolean> {
  const page = { pendingSince: sinceOf(tenant.retentionTime), limit: writeBatchSize, offset: 0 };
  const write = async (tx: TenantTransaction) => {
    const found = await tx.all(due, page);
    await attach(tx, found.map(presentPending));
    const old = await tx.all(expired, page);
    await deletePendingTraits(tx, old);
    return found.length === writeBatchSize || old.length === writeBatchSize;
  };
  return tenant.write(write, { isBulk: true });
}
