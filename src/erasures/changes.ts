import { asc, eq, gt, sql } from "drizzle-orm";
import { inputs, integerInput } from "../../db/expressions.ts";
import { changes } from "../../db/schema.ts";
import { parseStoredJson } from "../core/stored-json.ts";
import type { Tenant } from "../core/tenant.ts";
import { select, update } from "../core/tenant-statements.ts";
import { hasAddress, type Person, withoutPerson } from "./person.ts";
import { readSize, visitPages, writeParts } from "./steps.ts";

const isContact = sql`${changes.resource} = 'contact'`;
const changesAfter = select("erasures.changes", {
  fields: {
    sequence: changes.sequence,
    resource: changes.resource,
    contactId: changes.resourceId,
    before: sql<string | null>`case when ${isContact} then ${changes.before} end`,
    after: sql<string | null>`case when ${isContact} then ${changes.after} end`,
  },
  from: changes,
  where: gt(changes.sequence, integerInput("lastSequence")),
  orderBy: [asc(changes.sequence)],
  paged: true,
});
const setSides = update("erasures.setChange", {
  table: changes,
  set: inputs(changes, "before", "after"),
  where: eq(changes.sequence, integerInput("sequence")),
});

type Side = Readonly<Record<string, unknown>>;
type ContactChange = { sequence: number; contactId: number; sides: { before?: Side; after?: Side } };
/** The contacts of a person in the change log: those erased before, and those with the address, with their user ids. */
export type RecordedContacts = { erasedIds: ReadonlySet<number>; userIds: ReadonlyMap<number, Set<string>> };

/**
 * A member of a side that an erasure has changed. The next erasure completes what this one did not finish: it finds
 * the contact by the member.
 */
const ERASED = "erased";

function visitContactChanges(
  tenant: Tenant,
  visit: (found: ContactChange[]) => Promise<void>,
): Promise<void> {
  return visitPages(
    readSize,
    (last?: { sequence: number }) =>
      tenant.readOne((snapshot) =>
        snapshot.all(changesAfter, { lastSequence: last?.sequence ?? 0, limit: readSize, offset: 0 }),
      ),
    (rows) =>
      visit(
        rows.flatMap(({ sequence, resource, contactId, before, after }) =>
          resource === "contact" ? [{ sequence, contactId, sides: sidesOf(before, after) }] : [],
        ),
      ),
  );
}

/** The contacts in the change log that had the address, or an external id that is the person's user id. */
export async function findRecordedContacts(
  tenant: Tenant,
  person: Person,
  isLinked: boolean,
): Promise<RecordedContacts> {
  const erasedIds = new Set<number>();
  const userIds = new Map<number, Set<string>>();
  await visitContactChanges(tenant, async (found) => {
    for (const { contactId, sides } of found)
      for (const side of Object.values(sides)) {
        if (side[ERASED] === true) erasedIds.add(contactId);
        if (!hasAddress(person.foldedEmail, side.email) && !(isLinked && hasUserId(person, side))) continue;
        const ids = userIds.get(contactId) ?? new Set();
        userIds.set(contactId, ids);
        if (isLinked && typeof side.externalId === "string") ids.add(side.externalId);
      }
  });
  return { erasedIds, userIds };
}

function hasUserId({ userIds }: Person, { externalId }: Side): boolean {
  return typeof externalId === "string" && userIds.has(externalId);
}

/**
 * Removes the person's values from the changes of its contacts, and the address from those of other contacts. The
 * changes stay, with their sequence numbers. Returns the number of changed ones.
 */
export async function eraseChanges(tenant: Tenant, person: Person, isDryRun: boolean): Promise<number> {
  let count = 0;
  await visitContactChanges(tenant, async (found) => {
    const erased = found.flatMap(({ sequence, contactId, sides }) => {
      const updated = person.contactIds.has(contactId) ? eraseSides(sides) : eraseAddress(person, sides);
      return updated ? [{ sequence, before: textOf(updated.before), after: textOf(updated.after) }] : [];
    });
    count += erased.length;
    if (isDryRun) return;
    await writeParts(erased, (part) =>
      tenant.write(
        async (tx) => {
          for (const row of part) await tx.run(setSides, row);
        },
        { isBulk: true },
      ),
    );
  });
  return count;
}

/** Undefined when the change is erased already. */
function eraseSides(sides: ContactChange["sides"]): ContactChange["sides"] | undefined {
  if (Object.values(sides).every((side) => side[ERASED] === true)) return undefined;
  return mapSides(sides, (side) => ({ ...withoutPerson(side), [ERASED]: true }));
}

/** Undefined when no side has the address. */
function eraseAddress({ foldedEmail }: Person, sides: ContactChange["sides"]) {
  if (!Object.values(sides).some(({ email }) => hasAddress(foldedEmail, email))) return undefined;
  return mapSides(sides, (side) => (hasAddress(foldedEmail, side.email) ? { ...side, email: null } : side));
}

function mapSides({ before, after }: ContactChange["sides"], map: (side: Side) => Side) {
  return { ...(before && { before: map(before) }), ...(after && { after: map(after) }) };
}

function sidesOf(before: string | null, after: string | null): ContactChange["sides"] {
  // Safe: `core/changes.ts` stores objects.
  const parse = (text: string) => parseStoredJson(text) as Side;
  return {
    ...(before !== null && { before: parse(before) }),
    ...(after !== null && { after: parse(after) }),
  };
}

function textOf(side: Side | undefined): string | null {
  return side === undefined ? null : JSON.stringify(side);
}
