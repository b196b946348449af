import { asc, lte } from "drizzle-orm";
import { allOf, integerInput, pick } from "../../db/expressions.ts";
import { webhookDeliveries } from "../../db/schema.ts";
import { type DueCondition, hasRow } from "../core/due-jobs.ts";
import { writeBatchSize } from "../core/pauses.ts";
import { remove, select } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import { millisecondsOfDay } from "../core/timestamps.ts";
import { hasEnded, isDelivery } from "./store.ts";

/** For this time after the change was found to match, a delivery that has ended is kept. */
const retentionDays = 30;

const newestExpired = (retentionTime: number) => retentionTime - retentionDays * millisecondsOfDay;
const isOld = allOf(hasEnded, lte(webhookDeliveries.createdAt, integerInput("newestDelivery")));
export const oldDeliveriesDue: DueCondition = {
  isDue: hasRow({ from: webhookDeliveries, where: isOld }),
  inputs: ({ retentionTime }) => ({ newestDelivery: newestExpired(retentionTime) }),
};
const oldDeliveries = select("webhookDeliveries.old", {
  fields: pick(webhookDeliveries, "webhookId", "sequence"),
  from: webhookDeliveries,
  where: isOld,
  orderBy: [asc(webhookDeliveries.createdAt)],
  paged: true,
});
const deleteDelivery = remove("webhookDeliveries.delete", {
  from: webhookDeliveries,
  where: isDelivery,
  key: ["webhookId", "sequence"],
});

/** Job: deletes one batch of deliveries that are 30 days old and not pending. Returns whether there may be more. */
export function removeOldDeliveries(tenant: Tenant): Promise<boolean> {
  const page = { newestDelivery: newestExpired(tenant.retentionTime), limit: writeBatchSize, offset: 0 };
  return tenant.write(async (tx) => {
    const rows = await tx.all(oldDeliveries, page);
    for (const row of rows) await tx.run(deleteDelivery, row);
    return rows.length === writeBatchSize;
  });
}
