import { asc, eq, gt, sql } from "drizzle-orm";
import { inputs, isInJson, textInput } from "../../db/expressions.ts";
import { idempotencyKeys } from "../../db/schema.ts";
import { readBatchSize } from "../core/pauses.ts";
import { parseStoredJson } from "../core/stored-json.ts";
import { select, update } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";
import { hasAddress, hasUserId, type Person, withoutPerson } from "./person.ts";
import { visitPages, visitTexts, writeRows } from "./steps.ts";

const { key, body } = idempotencyKeys;
const repliesAfter = select("erasures.replies", {
  fields: { key, textBytes: sql<number>`coalesce(octet_length(${body}), 0)` },
  from: idempotencyKeys,
  where: gt(key, textInput("lastKey")),
  orderBy: [asc(key)],
  paged: true,
});
const bodiesOfReplies = select("erasures.bodiesOfReplies", {
  fields: { key, body },
  from: idempotencyKeys,
  where: isInJson(key, textInput("keys")),
});
const setBody = update("erasures.setReply", {
  table: idempotencyKeys,
  set: inputs(idempotencyKeys, "body"),
  where: eq(key, textInput("key")),
});

/**
 * Removes the person's values from the stored replies to writes with an Idempotency-Key. The replies stay, so that a
 * repeated write has no further effect. Returns the number of changed ones.
 */
export async function eraseReplies(tenant: Tenant, person: Person, isDryRun: boolean): Promise<number> {
  let count = 0;
  const eraseBodies = async (part: readonly { key: string }[]) => {
    const changed = await tenant.readOne((snapshot) => readErasedBodies(snapshot, part, person));
    count += changed.length;
    if (isDryRun) return;
    await writeRows(tenant, changed, async (tx, { key }) => {
      // Read again: the erasure of another person, by another server, may have changed it.
      const [reply] = await readErasedBodies(tx, [{ key }], person);
      if (reply) await tx.run(setBody, reply);
    });
  };
  await visitPages(
    (last?: { key: string; textBytes: number }) =>
      tenant.readOne((tx) =>
        tx.all(repliesAfter, { lastKey: last?.key ?? "", limit: readBatchSize, offset: 0 }),
      ),
    (rows) => visitTexts(rows, eraseBodies),
  );
  return count;
}

/** The replies that have values of the person, with their bodies without these values. */
async function readErasedBodies(
  snapshot: TenantSnapshot,
  part: readonly { key: string }[],
  person: Person,
): Promise<{ key: string; body: string }[]> {
  const keys = JSON.stringify(part.map(({ key }) => key));
  const rows = await snapshot.all(bodiesOfReplies, { keys });
  return rows.flatMap(({ key, body }) => {
    const erased = body === null ? null : eraseReply(person, body);
    return erased === null || erased === body ? [] : [{ key, body: erased }];
  });
}

/** The JSON text without the person; the same text when it has none of its contacts. */
function eraseReply(person: Person, text: string): string {
  // Only contacts have this member.
  if (!text.includes('"email"')) return text;
  let isErased = false;
  const erase = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(erase);
    if (typeof value !== "object" || value === null) return value;
    // Safe: an object has members, of unknown values.
    const members = value as Record<string, unknown>;
    if (hasValuesOf(person, members)) {
      isErased = true;
      return withoutPerson(members);
    }
    return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, erase(member)]));
  };
  const erased = erase(parseStoredJson(text));
  return isErased ? JSON.stringify(erased) : text;
}

/** Whether an object is one of the person's contacts, with values to erase. */
function hasValuesOf(person: Person, members: Record<string, unknown>): boolean {
  const { id, email, userId } = members;
  if (typeof id !== "number" || email === undefined) return false;
  if (hasAddress(person, email) || hasUserId(person, userId)) return true;
  return person.rows.has(id) && JSON.stringify(withoutPerson(members)) !== JSON.stringify(members);
}
