import { and, asc, eq, gt, lte, sql } from "drizzle-orm";
import { integerInput, pick, textInput } from "../../db/expressions.ts";
import { changes } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import { lastSequence, readChangesBefore, readChangesOfAccount } from "../core/changes/account-changes.ts";
import type { ChangeAction } from "../core/changes/changes.ts";
import { readCursorPage } from "../core/lists/cursor.ts";
import { JsonRows } from "../core/lists/json-rows.ts";
import { offsetOf, type PageRequest, paginationOf } from "../core/lists/paging.ts";
import type { Page } from "../core/lists/read.ts";
import { maxScannedRows } from "../core/pauses.ts";
import { type AccountReference, requireAccount } from "../core/resource/account-reference.ts";
import { select } from "../core/tenant/statements.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";
import type { ResourceType } from "../shared/resources.ts";

export const changeFields = {
  ...pick(changes, "sequence", "resource", "action", "resourceId", "accountId", "changedAt", "actorType"),
  ...pick(changes, "keyId", "keyName", "requestId", "before", "after"),
};
export type ChangeRow = Row<typeof changeFields>;

const [resourceInput, actionInput] = [textInput("resource"), textInput("action")];
// The rows of a sub-resource are deleted with their account: its deletion is a change of each resource.
const isDeletedAccount = sql`${changes.resource} = 'account' and ${changes.action} = 'deleted'`;
const feed = select("changes.feed", {
  fields: changeFields,
  from: changes,
  where: and(
    gt(changes.sequence, integerInput("after")),
    lte(changes.sequence, integerInput("upTo")),
    sql`(${resourceInput} is null or ${changes.resource} = ${resourceInput} or (${isDeletedAccount}))`,
    sql`(${actionInput} is null or ${changes.action} = ${actionInput})`,
  ),
  orderBy: [asc(changes.sequence)],
  paged: true,
});

const firstChange = select("changes.first", {
  fields: { sequence: changes.sequence },
  from: changes,
  orderBy: [asc(changes.sequence)],
  paged: true,
});

/** The first sequence number that is stored; 1 without changes. */
export async function firstSequence(snapshot: TenantSnapshot): Promise<number> {
  const [first] = await snapshot.all(firstChange, { limit: 1, offset: 0 });
  return first?.sequence ?? 1;
}

type FeedRequest = {
  /** The last sequence number that the caller has read; 0 for the beginning. */
  after: number;
  limit: number;
  resource?: ResourceType | undefined;
  action?: ChangeAction | undefined;
};
export type Feed = { rows: JsonRows; hasNextPage: boolean; nextAfter: number };

/**
 * The organization's changes after a sequence number, in commit order, as many as fit into a page. With a filter it reads
 * a bounded range of the log, so that a reply can have few changes or none although later ones match: `nextAfter` is the
 * end of the range.
 */
export async function readFeed(
  snapshot: TenantSnapshot,
  { after, limit, resource, action }: FeedRequest,
  present: (row: ChangeRow) => object,
): Promise<Feed> {
  const first = await firstSequence(snapshot);
  const last = await lastSequence(snapshot);
  // Older changes were deleted.
  const start = Math.max(after, first - 1);
  const upTo = resource || action ? Math.min(start + maxScannedRows, last) : last;
  const values = { upTo, resource: resource ?? null, action: action ?? null };
  const rows = new JsonRows(limit);
  let end = start;
  const feedUpTo = (sequence: number) => {
    const nextAfter = Math.max(after, sequence);
    return { rows, hasNextPage: nextAfter < last, nextAfter };
  };
  for (;;) {
    const count = rows.nextCount;
    const found = await snapshot.all(feed, { ...values, after: end, limit: count, offset: 0 });
    for (const row of found) {
      if (!rows.add(present(row))) return feedUpTo(end);
      end = row.sequence;
    }
    if (found.length < count) return feedUpTo(upTo);
  }
}

const bySequence = select("changes.bySequence", {
  fields: changeFields,
  from: changes,
  where: eq(changes.sequence, integerInput("sequence")),
});

/** The change with a sequence number. Undefined when it is not stored any more. */
export function readChange(snapshot: TenantSnapshot, sequence: number): Promise<ChangeRow | undefined> {
  return snapshot.first(bySequence, { sequence });
}

/** The changes of an account and its sub-resources, newest first. Throws `not_found`. */
export async function readHistory(
  snapshot: TenantSnapshot,
  account: AccountReference,
  page: PageRequest,
): Promise<Page<ChangeRow>> {
  const accountId = await requireAccount(snapshot, account);
  if (page.cursor !== undefined)
    return readCursorPage(snapshot, page, {
      query: ["history", accountId],
      positionOf: ({ sequence }) => [sequence],
      readAfter: async ([before] = [Number.MAX_SAFE_INTEGER], limit) =>
        readRows(snapshot, await readChangesBefore(snapshot, accountId, { before: Number(before), limit })),
    });
  const limits = { limit: page.pageSize, offset: offsetOf(page) };
  const { total, sequences } = await readChangesOfAccount(snapshot, accountId, limits);
  return { rows: await readRows(snapshot, sequences), pagination: paginationOf(page, total) };
}

async function readRows(snapshot: TenantSnapshot, sequences: readonly number[]): Promise<ChangeRow[]> {
  const rows = await Promise.all(sequences.map((sequence) => readChange(snapshot, sequence)));
  return rows.flatMap((row) => row ?? []);
}
