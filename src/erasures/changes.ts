import { asc, eq, gt, isNotNull, sql } from "drizzle-orm";
import { allOf, inputs, integerInput, isInJson, textInput } from "../../db/expressions.ts";
import { changes, webhookDeliveries, webhooks } from "../../db/schema.ts";
import { readBatchSize } from "../core/pauses.ts";
import { parseStoredJson } from "../core/stored-json.ts";
import { inSubquery, select, update } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantSnapshot, TenantTransaction } from "../core/tenant/transaction.ts";
import { hasAddress, hasUserId, isContactOf, type Person, withoutPerson } from "./person.ts";
import { visitPages, visitTexts } from "./steps.ts";

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
  orderBy: [asc(changes.sequence)],
});
const setSides = update("erasures.setChange", {
  table: changes,
  set: inputs(changes, "before", "after"),
  where: eq(changes.sequence, integerInput("sequence")),
});

const { webhookId, responseBody } = webhookDeliveries;
const clearResponses = update("erasures.clearResponses", {
  table: webhookDeliveries,
  set: { responseBody: sql`null` },
  where: allOf(
    inSubquery({ from: webhooks, key: webhooks.id, where: undefined, column: webhookId }),
    eq(webhookDeliveries.sequence, integerInput("sequence")),
    isNotNull(responseBody),
  ),
});

export type Side = Readonly<Record<string, unknown>>;
export type ContactChange = {
  sequence: number;
  contactId: number;
  sides: { before?: Side; after?: Side };
};

/**
 * A member of a side that an erasure has changed. The next erasure completes what this one did not finish: it finds
 * the contact by the member.
 */
const erasureMark = "erased";

export function isErased(side: Side): boolean {
  return side[erasureMark] === true;
}

/**
 * Reads the changes of contacts after a sequence number, in order. `visit` gets some at a time: with attributes, a change can have
 * 200 KiB. Returns the last sequence number.
 */
export async function visitContactChanges(
  tenant: Tenant,
  visit: (found: ContactChange[]) => Promise<void>,
  after = 0,
): Promise<number> {
  let lastSequence = after;
  const readTexts = async (part: readonly { sequence: number }[]) =>
    visit(await tenant.readOne((snapshot) => readChanges(snapshot, part)));
  await visitPages(
    () =>
      tenant.readOne((snapshot) =>
        snapshot.all(changesAfter, { lastSequence, limit: readBatchSize, offset: 0 }),
      ),
    (rows: { sequence: number; contactId: number | null; textBytes: number }[]) => {
      lastSequence = rows.at(-1)?.sequence ?? lastSequence;
      return visitTexts(
        rows.filter(({ contactId }) => contactId !== null),
        readTexts,
      );
    },
  );
  return lastSequence;
}

/** The changes of contacts with these sequence numbers. */
export async function readChanges(
  snapshot: TenantSnapshot,
  part: readonly { sequence: number }[],
): Promise<ContactChange[]> {
  const sequences = JSON.stringify(part.map(({ sequence }) => sequence));
  const rows = await snapshot.all(textsOfChanges, { sequences });
  return rows.map(({ before, after, ...change }) => ({ ...change, sides: sidesOf(before, after) }));
}

/** The changes after a sequence number that have values of the person, and the number of the last change. */
export async function findChanges(tenant: Tenant, person: Person, after = 0) {
  const found: Pick<ContactChange, "sequence" | "contactId">[] = [];
  const add = async (changes: ContactChange[]) => {
    for (const change of changes)
      if (eraseSides(person, change)) found.push({ sequence: change.sequence, contactId: change.contactId });
  };
  const lastSequence = await visitContactChanges(tenant, add, after);
  return { found, lastSequence };
}

/**
 * Removes the person's values from a change of its contacts, and its identifiers from a change of another contact. The
 * change stays, with its sequence number. The responses to its deliveries are deleted, because they may repeat the values.
 */
export async function eraseChange(tx: TenantTransaction, person: Person, sequence: number): Promise<void> {
  // Read again: the erasure of another person, by another server, may have changed it.
  const [change] = await readChanges(tx, [{ sequence }]);
  const sides = change && eraseSides(person, change);
  if (!sides) return;
  await tx.run(setSides, { sequence, before: textOf(sides.before), after: textOf(sides.after) });
  await tx.run(clearResponses, { sequence });
}

/** Removes the person's values from the few changes after a sequence number. */
export async function eraseChangesAfter(
  tx: TenantTransaction,
  person: Person,
  lastSequence: number,
): Promise<void> {
  const rows = await tx.all(changesAfter, { lastSequence, limit: readBatchSize, offset: 0 });
  for (const { sequence, contactId } of rows) if (contactId !== null) await eraseChange(tx, person, sequence);
}

/** The sides without the values of the person. Undefined when they have none. */
function eraseSides(person: Person, { contactId, sides }: ContactChange): ContactChange["sides"] | undefined {
  const isOfPerson = person.rows.has(contactId);
  const hasValues = isOfPerson ? (side: Side) => !isErased(side) : (side: Side) => isContactOf(person, side);
  if (!Object.values(sides).some(hasValues)) return undefined;
  return mapSides(sides, (side) =>
    isOfPerson
      ? { ...withoutPerson(side), [erasureMark]: true }
      : {
          ...side,
          ...(hasAddress(person, side.email) && { email: null }),
          ...(hasUserId(person, side.userId) && { userId: null }),
          ...(hasUserId(person, side.externalId) && { externalId: null }),
        },
  );
}

function mapSides({ before, after }: ContactChange["sides"], map: (side: Side) => Side) {
  return { ...(before && { before: map(before) }), ...(after && { after: map(after) }) };
}

function sidesOf(before: string | null, after: string | null): ContactChange["sides"] {
  // Safe: `core/changes/changes.ts` stores objects.
  const parse = (text: string) => parseStoredJson(text) as Side;
  return {
    ...(before !== null && { before: parse(before) }),
    ...(after !== null && { after: parse(after) }),
  };
}

function textOf(side: Side | undefined): string | null {
  return side === undefined ? null : JSON.stringify(side);
}
