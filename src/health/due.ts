import { eq, sql } from "drizzle-orm";
import { accountHealth } from "../../db/schema.ts";
import { integerInput } from "../../db/statements.ts";
import { type OwnWriter, update } from "../tenant.ts";

const markDue = update({
  table: accountHealth,
  set: { changesAt: sql`0` },
  where: eq(accountHealth.accountId, integerInput("accountId")),
});

/**
 * Notes, in the transaction of a change that an account's score may follow from, that the score has to be
 * worked out again. Usage events need no note: the scores' progress counts them.
 */
export async function healthIsDue(rows: OwnWriter, accountId: number): Promise<void> {
  await rows.run(markDue, { accountId });
}
