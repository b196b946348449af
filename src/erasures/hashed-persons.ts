import { desc, eq, isNotNull, sql } from "drizzle-orm";
import { pick } from "../../db/expressions.ts";
import { changes, contacts, events, pendingTraits, usageSumUsers } from "../../db/schema.ts";
import { foldAddress } from "../core/folding.ts";
import { select } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import { hashIdentifier } from "./hashes.ts";
import { RecordedContacts } from "./links.ts";
import type { PersonKeys } from "./person.ts";

const contactIdentifiers = select("erasures.contactIdentifiers", {
  fields: pick(contacts, "email", "userId", "externalId"),
  from: contacts,
});
const pendingIdentifiers = select("erasures.pendingIdentifiers", {
  fields: { id: pendingTraits.id, email: pendingTraits.foldedEmail },
  from: pendingTraits,
  where: eq(pendingTraits.type, sql`'user'`),
});
const eventUsers = select("erasures.eventUsers", {
  fields: { userId: events.userId },
  from: events,
  where: isNotNull(events.userId),
  groupBy: [events.userId],
});
const usageUserIds = select("erasures.usageUserIds", {
  fields: { userId: usageSumUsers.userId },
  from: usageSumUsers,
  groupBy: [usageSumUsers.userId],
});
const newestChange = select("erasures.newestChange", {
  fields: { changedAt: changes.changedAt },
  from: changes,
  orderBy: [desc(changes.sequence)],
  paged: true,
});

/** Milliseconds since 1970 UTC; 0 without changes. */
export async function newestChangeAt(tenant: Tenant): Promise<number> {
  const [row] = await tenant.readOne((tx) => tx.all(newestChange, { limit: 1, offset: 0 }));
  return row?.changedAt ?? 0;
}

/**
 * The persons of whom the organization has an identifier with one of these hashes. Reads all users in one statement: for a
 * database that nobody else uses.
 */
export async function personsWithHashes(tenant: Tenant, hashes: ReadonlySet<string>): Promise<PersonKeys[]> {
  if (hashes.size === 0) return [];
  const stored = await tenant.readOne(async (tx) => {
    const rows: Record<string, string | null>[] = [];
    for (const statement of [contactIdentifiers, pendingIdentifiers, eventUsers, usageUserIds])
      rows.push(...(await tx.all<Record<string, string | null>>(statement, {})));
    return rows.flatMap((row) => Object.values(row));
  });
  const contacts = await RecordedContacts.read(tenant);
  const recorded: string[] = [];
  await contacts.visit(({ states }) => {
    for (const text of states.flatMap((state) => Object.values(state)))
      if (text) recorded.push(foldAddress(text));
  });
  const found = new Set(
    [...stored, ...recorded]
      .filter((text) => text !== null)
      .filter((text) => hashes.has(hashIdentifier(tenant.organizationId, text))),
  );
  return [...found].map((text) => (text.includes("@") ? { email: text } : { userId: text }));
}
