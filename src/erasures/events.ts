import { eq, sql } from "drizzle-orm";
import { allOf, inputs, integerInput, pick, textInput } from "../../db/expressions.ts";
import { events } from "../../db/schema.ts";
import { readBatchSize } from "../core/pauses.ts";
import { selectAfter, update } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { hashMessageId, REMEMBERED_CALL, requireMessageIdKey } from "../events/message-ids.ts";
import { isUserOf, type Person, tokenFinder } from "./person.ts";
import { visitPages, writeRows } from "./steps.ts";

const eventsAfter = selectAfter("erasures.events", {
  fields: pick(events, "id", "userId", "messageId", "event"),
  from: events,
});
const clearEvent = update("erasures.clearEvent", {
  table: events,
  set: { userId: sql`null`, properties: sql`null` },
  where: allOf(eq(events.id, integerInput("id")), eq(events.userId, textInput("userId"))),
  key: ["id"],
});
const replaceMessageId = update("erasures.replaceMessageId", {
  table: events,
  set: inputs(events, "messageId"),
  where: allOf(eq(events.id, integerInput("id")), eq(events.messageId, textInput("previousId"))),
});

/**
 * Clears the user and the properties of the person's events, and replaces a messageId that contains an identifier by a
 * hash, so that a second copy is still a duplicate. The events stay counted. Returns the number of
 * events, without calls whose messageId alone is remembered.
 */
export async function eraseEvents(tenant: Tenant, person: Person, isDryRun: boolean): Promise<number> {
  const hasIdentifier = tokenFinder(person.texts);
  let count = 0;
  let stored: { tx: TenantTransaction; key: string } | undefined;
  /** Reads the key once for each transaction. */
  const keyIn = async (tx: TenantTransaction) => {
    if (stored?.tx !== tx) stored = { tx, key: await requireMessageIdKey(tx) };
    return stored.key;
  };
  await visitPages(
    (last?: { id: number }) =>
      tenant.readOne((tx) => tx.all(eventsAfter, { lastId: last?.id ?? 0, limit: readBatchSize, offset: 0 })),
    async (rows) => {
      const found = rows.flatMap(({ userId, ...row }) =>
        userId !== null && isUserOf(person, userId) ? { userId, ...row } : [],
      );
      count += found.filter(({ event }) => event !== REMEMBERED_CALL).length;
      if (isDryRun) return;
      await writeRows(tenant, found, async (tx, { id, userId, messageId }) => {
        if (messageId !== null && (hasIdentifier(messageId) || tokenFinder([userId])(messageId))) {
          const hash = hashMessageId(await keyIn(tx), messageId);
          await tx.run(replaceMessageId, { id, previousId: messageId, messageId: hash });
        }
        await tx.run(clearEvent, { id, userId });
      });
    },
  );
  return count;
}
