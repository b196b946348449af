import { and, asc, count, desc, eq, gt, type SQL } from "drizzle-orm";
import { integerInput, textInput } from "../../db/expressions.ts";
import { changes } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import { requireAccount } from "../core/account-reference.ts";
import type { ChangeAction, ResourceType } from "../core/changes.ts";
import type { Page } from "../core/list-query.ts";
import { offsetOf, type PageRequest, paginationOf } from "../core/paging.ts";
import type { TenantSnapshot } from "../core/tenant.ts";
import { select } from "../core/tenant-statements.ts";

const fields = {
  sequence: changes.sequence,
  resource: changes.resource,
  action: changes.action,
  resourceId: changes.resourceId,
  accountId: changes.accountId,
  changedAt: changes.changedAt,
  actorType: changes.actorType,
  keyId: changes.keyId,
  keyName: changes.keyName,
  requestId: changes.requestId,
  before: changes.before,
  after: changes.after,
};
export type ChangeRow = Row<typeof fields>;

const byResource = eq(changes.resource, textInput("resource"));
const byAction = eq(changes.action, textInput("action"));
const feed = {
  all: feedStatement("changes.feed"),
  resource: feedStatement("changes.feedOfResource", byResource),
  action: feedStatement("changes.feedOfAction", byAction),
  both: feedStatement("changes.feedOfBoth", and(byResource, byAction)),
};

function feedStatement(name: string, filter?: SQL) {
  const where = and(gt(changes.sequence, integerInput("after")), filter);
  return select(name, { fields, from: changes, where, orderBy: [asc(changes.sequence)], paged: true });
}

export type FeedRequest = {
  /** The last sequence number that the caller has read; 0 for the beginning. */
  after: number;
  limit: number;
  resource?: ResourceType | undefined;
  action?: ChangeAction | undefined;
};
export type Feed = { rows: ChangeRow[]; hasNextPage: boolean; nextAfter: number };

/** The organization's changes after a sequence number, in commit order. */
export async function readFeed(snapshot: TenantSnapshot, query: FeedRequest): Promise<Feed> {
  const { after, limit, resource, action } = query;
  const values = { after, resource: resource ?? "", action: action ?? "" };
  const found = await snapshot.all(statementFor(query), { ...values, limit: limit + 1, offset: 0 });
  const rows = found.slice(0, limit);
  return { rows, hasNextPage: found.length > limit, nextAfter: rows.at(-1)?.sequence ?? after };
}

function statementFor({ resource, action }: FeedRequest) {
  if (resource && action) return feed.both;
  if (resource) return feed.resource;
  return action ? feed.action : feed.all;
}

const isOfAccount = eq(changes.accountId, integerInput("accountId"));
// The sequence numbers from the index of accounts, then row by row: for whole rows SQLite reads the organization's
// log backwards, because the primary key contains them.
const historyKeys = select("changes.historyKeys", {
  fields: { sequence: changes.sequence },
  from: changes,
  where: isOfAccount,
  orderBy: [desc(changes.sequence)],
  paged: true,
});
const bySequence = select("changes.bySequence", {
  fields,
  from: changes,
  where: eq(changes.sequence, integerInput("sequence")),
});
const historyTotal = select("changes.historyTotal", {
  fields: { count: count() },
  from: changes,
  where: isOfAccount,
});

/** The changes of an account and its sub-resources, newest first. Throws `not_found`. */
export async function readHistory(
  snapshot: TenantSnapshot,
  accountId: number,
  page: PageRequest,
): Promise<Page<ChangeRow>> {
  await requireAccount(snapshot, { accountId });
  const limits = { limit: page.pageSize, offset: offsetOf(page) };
  const keys = await snapshot.all(historyKeys, { accountId, ...limits });
  const rows = await Promise.all(keys.map((key) => snapshot.first(bySequence, key)));
  const total = (await snapshot.first(historyTotal, { accountId }))?.count ?? 0;
  return { rows: rows.flatMap((row) => row ?? []), pagination: paginationOf(page, total) };
}
