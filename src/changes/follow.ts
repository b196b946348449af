import { asc, gt } from "drizzle-orm";
import { integerInput } from "../../db/expressions.ts";
import { countYoungGarbage } from "../../db/garbage.ts";
import { changes } from "../../db/schema.ts";
import { lastSequence } from "../core/changes/account-changes.ts";
import type { Follower } from "../core/changes/followers.ts";
import { Problem } from "../core/errors.ts";
import { select } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import { type ChangeFilter, matchesFilter } from "./filter.ts";
import { type ChangeRow, changeFields, firstSequence } from "./list.ts";

export const maxPageSize = 100;
/** The stored text of the changes of a page, which all streams of the organization may send from memory. */
const maxPageCharacters = 65_536;
/** A row in memory with its texts, about. */
const bytesOfRow = 1_024;
/** After a page of more changes, the next one may wait for an interval: there are many changes. */
const maxLiveChanges = 10;

const nextChanges = select("changes.next", {
  fields: changeFields,
  from: changes,
  where: gt(changes.sequence, integerInput("after")),
  orderBy: [asc(changes.sequence)],
  paged: true,
});

/** Changes in the order of their sequence numbers, without gaps, and what streams that share them have encoded of them. */
export type SharedChanges = { rows: readonly ChangeRow[]; encoded: Map<string, Uint8Array> };

/**
 * All changes of an organization after a sequence number, those that are stored and then those to come. After
 * `idleMilliseconds` without a change it yields a page without rows. `upTo` is the last change, or where the follower
 * waits. Ends with the follower. Throws `changes_expired` when the next change is not stored any more.
 */
export async function* followChanges(
  tenant: Pick<Tenant, "readOne">,
  follower: Follower,
  { after, idleMilliseconds }: { after: number; idleMilliseconds: number },
): AsyncGenerator<SharedChanges & { upTo: number }, void> {
  let [upTo, limit] = [after, maxPageSize];
  let isMany = false;
  while (!follower.signal.aborted) {
    if (isMany) await follower.nextInterval();
    const page = await follower.share(upTo, () => readNext(tenant, upTo, limit));
    if (follower.signal.aborted) return;
    const { rows } = page;
    isMany = rows.length > maxLiveChanges;
    const last = rows.at(-1);
    if (last) {
      upTo = last.sequence;
      limit = Math.max(1, Math.min(maxPageSize, Math.floor(maxPageCharacters / meanSize(rows))));
      yield { ...page, upTo };
    } else {
      while (!(await follower.written(idleMilliseconds)) && !follower.signal.aborted) yield { ...page, upTo };
    }
  }
}

/**
 * Waits for a change after a sequence number that matches, at most for a time. Resolves with the sequence number after
 * which it is, without others that match before it. Throws as `followChanges` and `Tenant.follow`, and `unauthorized`
 * when the key became invalid.
 */
export async function waitForChange(
  tenant: Tenant,
  { after, filter, waitMilliseconds }: { after: number; filter: ChangeFilter; waitMilliseconds: number },
): Promise<number> {
  const follower = tenant.follow();
  const timer = setTimeout(() => follower.end(), waitMilliseconds);
  let position = after;
  try {
    await assertStored(tenant, follower, after);
    const pages = followChanges(tenant, follower, { after, idleMilliseconds: waitMilliseconds });
    for await (const { rows, upTo } of pages) {
      if (rows.some((row) => matchesFilter(row, filter))) break;
      position = upTo;
    }
    if (follower.signal.reason instanceof Problem) throw follower.signal.reason;
    return position;
  } finally {
    clearTimeout(timer);
    follower.end();
  }
}

/**
 * Throws `changes_expired` when the change after this sequence number is not stored any more, and when no change has the
 * number: a backup was restored.
 */
export async function assertStored(
  tenant: Pick<Tenant, "readOne">,
  follower: Follower,
  after: number,
): Promise<void> {
  const { rows } = await follower.share(after, () => readNext(tenant, after, maxPageSize));
  if (rows.length > 0) return;
  const last = await tenant.readOne(lastSequence);
  if (after > last)
    throw new Problem("changes_expired", {
      detail:
        "No change has this sequence number: a backup was restored. Read the resources again, and continue from firstSequence - 1.",
      firstSequence: await tenant.readOne(firstSequence),
    });
}

/** The next changes: at most `limit`, and at most `maxPageCharacters` or one. */
async function readNext(
  tenant: Pick<Tenant, "readOne">,
  after: number,
  limit: number,
): Promise<SharedChanges> {
  const rows = await tenant.readOne((snapshot) => snapshot.all(nextChanges, { after, limit, offset: 0 }));
  const [first] = rows;
  if (first && first.sequence > after + 1)
    throw new Problem("changes_expired", { firstSequence: first.sequence });
  // A follower of many stored changes reads hundreds of pages in the time of a collection.
  countYoungGarbage(rows.length * bytesOfRow);
  let [characters, count] = [0, 0];
  for (const row of rows) {
    characters += sizeOf(row);
    if (count > 0 && characters > maxPageCharacters) break;
    count += 1;
  }
  return { rows: rows.slice(0, count), encoded: new Map() };
}

const sizeOf = ({ before, after }: ChangeRow) => (before?.length ?? 0) + (after?.length ?? 0) + 1;
const meanSize = (rows: readonly ChangeRow[]) =>
  rows.reduce((sum, row) => sum + sizeOf(row), 0) / rows.length;
