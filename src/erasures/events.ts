import { asc, eq, gt, sql } from "drizzle-orm";
import { allOf, inputs, integerInput, textInput } from "../../db/expressions.ts";
import { events } from "../../db/schema.ts";
import { fold } from "../core/folding.ts";
import type { Tenant } from "../core/tenant.ts";
import { select, update } from "../core/tenant-statements.ts";
import { isUserOf, type Person } from "./person.ts";
import { readSize, visitPages, writeRows } from "./steps.ts";

const eventsAfter = select("erasures.events", {
  fields: { id: events.id, userId: events.userId, messageId: events.messageId },
  from: events,
  where: gt(events.id, integerInput("lastId")),
  orderBy: [asc(events.id)],
  paged: true,
});
const clearEvent = update("erasures.clearEvent", {
  table: events,
  set: { ...inputs(events, "messageId"), userId: sql`null`, properties: sql`null` },
  where: allOf(eq(events.id, integerInput("id")), eq(events.userId, textInput("userId"))),
});

/**
 * Clears the user and the properties of the person's events, and a messageId that contains a user id or the address;
 * the events stay counted. Returns their number.
 */
export async function eraseEvents(tenant: Tenant, person: Person, isDryRun: boolean): Promise<number> {
  const hasIdentifier = (userId: string, text: string) =>
    [userId, ...person.texts].some((identifier) => fold(text).includes(fold(identifier)));
  let count = 0;
  await visitPages(
    (last?: { id: number }) =>
      tenant.readOne((tx) => tx.all(eventsAfter, { lastId: last?.id ?? 0, limit: readSize, offset: 0 })),
    async (rows) => {
      const found = rows.flatMap(({ id, userId, messageId }) =>
        userId !== null && isUserOf(person, userId) ? { id, userId, messageId } : [],
      );
      count += found.length;
      if (isDryRun) return;
      await writeRows(tenant, found, (tx, { id, userId, messageId }) => {
        const isKept = messageId !== null && !hasIdentifier(userId, messageId);
        return tx.run(clearEvent, { id, userId, messageId: isKept ? messageId : null });
      });
    },
  );
  return count;
}
