import { eq, lte } from "drizzle-orm";
import { integerInput, textInput } from "../../../db/expressions.ts";
import { idempotencyKeys } from "../../../db/schema.ts";
import { type DueCondition, hasRow } from "../due-jobs.ts";
import { newestExpired } from "./idempotency.ts";
import { remove, select } from "./statements.ts";
import type { Tenant } from "./tenant.ts";

/** Replies to delete in one transaction. A reply can have several hundred KiB. */
const batchSize = 50;

const { key, createdAt } = idempotencyKeys;
const isOld = lte(createdAt, integerInput("newestExpired"));
export const oldIdempotencyKeysDue: DueCondition = {
  isDue: hasRow({ from: idempotencyKeys, where: isOld }),
  inputs: ({ retentionTime }) => ({ newestExpired: newestExpired(retentionTime) }),
};
const oldKeys = select("idempotencyKeys.old", {
  fields: { key },
  from: idempotencyKeys,
  where: isOld,
  paged: true,
});
const deleteKey = remove("idempotencyKeys.delete", {
  from: idempotencyKeys,
  where: eq(key, textInput("key")),
  key: ["key"],
});

/** Job: deletes one batch of replies that are more than a day old. Returns whether there may be more. */
export async function removeOldIdempotencyKeys(tenant: Tenant): Promise<boolean> {
  const page = { newestExpired: newestExpired(tenant.retentionTime), limit: batchSize, offset: 0 };
  return tenant.write(async (tx) => {
    const rows = await tx.all(oldKeys, page);
    for (const row of rows) await tx.run(deleteKey, row);
    return rows.length === batchSize;
  });
}
