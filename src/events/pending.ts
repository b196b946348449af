import { eq, sql } from "drizzle-orm";
import { inputs, isInJson, largerOf, pick, smallerOf, sumOf, textInput } from "../../db/expressions.ts";
import { events, unmatchedIds } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import { sampleOf } from "../core/due-jobs.ts";
import { defineList } from "../core/lists/list.ts";
import { insert, remove } from "../core/tenant/statements.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";

/** The condition that an event is pending under the input `externalId`. */
export const hasExternalId = eq(events.externalId, textInput("externalId"));
/** The assignment that ends the pending state of an event. */
export const clearExternalId = { externalId: sql`null` };
export const areUnmatched = isInJson(unmatchedIds.externalId, textInput("externalIds"));
export const deleteUnmatched = remove("unmatchedIds.delete", { from: unmatchedIds, where: areUnmatched });
const upsertUnmatched = insert("unmatchedIds.add", {
  into: unmatchedIds,
  values: inputs(unmatchedIds, "externalId", "count", "firstAt", "lastAt"),
  onConflict: {
    target: [unmatchedIds.organizationId, unmatchedIds.externalId],
    set: {
      count: sumOf(unmatchedIds.count),
      firstAt: smallerOf(unmatchedIds.firstAt),
      lastAt: largerOf(unmatchedIds.lastAt),
    },
  },
});

export const pendingEventCount = sampleOf("sum", unmatchedIds.count, { from: unmatchedIds });

type PendingEvent = { externalId?: string | undefined; timestamp: number };

/** Adds pending events to the totals of their external ids. */
export async function recordPending(tx: TenantTransaction, pending: readonly PendingEvent[]): Promise<void> {
  const byExternalId = Map.groupBy(pending, (event) => event.externalId);
  const rows = [...byExternalId].map(([externalId = "", batch]) => {
    const times = batch.map(({ timestamp }) => timestamp);
    return { externalId, count: batch.length, firstAt: Math.min(...times), lastAt: Math.max(...times) };
  });
  await tx.insertAll(upsertUnmatched, rows);
}

const fields = pick(unmatchedIds, "id", "externalId", "count", "firstAt", "lastAt");
export type UnmatchedId = Row<typeof fields>;

export const unmatchedList = defineList({
  name: "unmatchedIds.list",
  from: unmatchedIds,
  key: unmatchedIds.id,
  fields,
  sortBy: pick(unmatchedIds, "externalId", "count", "firstAt", "lastAt"),
  defaultOrder: ["externalId", "asc"],
  filters: {
    search: { kind: "search", columns: [[unmatchedIds.externalId, (text) => text]] },
  },
});
