import { asc, eq, gt, sql } from "drizzle-orm";
import { inputs, integerInput, isInJson, textInput } from "../../db/expressions.ts";
import { changes } from "../../db/schema.ts";
import { parseStoredJson } from "../core/stored-json.ts";
import type { Tenant, TenantSnapshot } from "../core/tenant.ts";
import { select, update } from "../core/tenant-statements.ts";
import { hasAddress, type Person, withoutPerson } from "./person.ts";
import { readSize, visitPages, visitTexts, writeRows } from "./steps.ts";

const changesAfter = select("erasures.changes", {
  fields: {
    sequence: changes.sequence,
    contactId: sql<number | null>`case when ${changes.resource} = 'contact' then ${changes.resourceId} end`,
    textBytes: sql<number>`coalesce(octet_length(${changes.before}), 0) + coalesce(octet_length(${changes.after}), 0)`,
  },
  from: changes,
  where: gt(changes.sequence, integerInput("lastSequence")),
  orderBy: [asc(changes.sequence)],
  paged: true,
});
const textsOfChanges = select("erasures.textsOfChanges", {
  fields: {
    sequence: changes.sequence,
    contactId: changes.resourceId,
    before: changes.before,
    after: changes.after,
  },
  from: changes,
  where: isInJson(changes.sequence, textInput("sequences")),
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
const erasureMark = "erased";

/** Reads the changes of contacts. `visit` gets some at a time: with attributes, a change can have 200 KiB. */
function visitContactChanges(
  tenant: Tenant,
  visit: (found: ContactChange[]) => Promise<void>,
): Promise<void> {
  const readTexts = async (part: readonly { sequence: number }[]) =>
    visit(await tenant.readOne((snapshot) => readChanges(snapshot, part)));
  return visitPages(
    (last?: { sequence: number; contactId: number | null; textBytes: number }) =>
      tenant.readOne((snapshot) =>
        snapshot.all(changesAfter, { lastSequence: last?.sequence ?? 0, limit: readSize, offset: 0 }),
      ),
    (rows) =>
      visitTexts(
        rows.filter(({ contactId }) => contactId !== null),
        readTexts,
      ),
  );
}

async function readChanges(
  snapshot: TenantSnapshot,
  part: readonly { sequence: number }[],
): Promise<ContactChange[]> {
  const sequences = JSON.stringify(part.map(({ sequence }) => sequence));
  const rows = await snapshot.all(textsOfChanges, { sequences });
  return rows.map(({ before, after, ...change }) => ({ ...change, sides: sidesOf(before, after) }));
}

/** The contacts in the change log that had the address, or an external id that is the person's user id. */
export async function findRecordedContacts(
  tenant: Tenant,
  person: Person,
  isExternalIdUserId: boolean,
): Promise<RecordedContacts> {
  const erasedIds = new Set<number>();
  const userIds = new Map<number, Set<string>>();
  await visitContactChanges(tenant, async (found) => {
    for (const { contactId, sides } of found)
      for (const side of Object.values(sides)) {
        if (side[erasureMark] === true) erasedIds.add(contactId);
        if (!hasAddress(person.foldedEmail, side.email) && !(isExternalIdUserId && hasUserId(person, side)))
          continue;
        const ids = userIds.get(contactId) ?? new Set();
        userIds.set(contactId, ids);
        if (isExternalIdUserId && typeof side.externalId === "string") ids.add(side.externalId);
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
  const erase = ({ contactId, sides }: ContactChange) =>
    person.contactIds.has(contactId) ? eraseSides(sides) : eraseAddress(person, sides);
  let count = 0;
  await visitContactChanges(tenant, async (found) => {
    const changed = found.filter((change) => erase(change) !== undefined);
    count += changed.length;
    if (isDryRun) return;
    await writeRows(tenant, changed, async (tx, { sequence }) => {
      // Read again: the erasure of another person, by another server, may have changed it.
      const [change] = await readChanges(tx, [{ sequence }]);
      const sides = change && erase(change);
      if (sides)
        await tx.run(setSides, { sequence, before: textOf(sides.before), after: textOf(sides.after) });
    });
  });
  return count;
}

/** Undefined when the change is erased already. */
function eraseSides(sides: ContactChange["sides"]): ContactChange["sides"] | undefined {
  if (Object.values(sides).every((side) => side[erasureMark] === true)) return undefined;
  return mapSides(sides, (side) => ({ ...withoutPerson(side), [erasureMark]: true }));
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
