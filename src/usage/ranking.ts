import { asc, gt } from "drizzle-orm";
import { integerInput, isInJson, textInput } from "../../db/expressions.ts";
import { FirstRows } from "../../db/first-rows.ts";
import { accounts } from "../../db/schema.ts";
import { Problem } from "../core/errors.ts";
import { offsetOf, type PageRequest, type Pagination, paginationOf } from "../core/lists/paging.ts";
import { select } from "../core/tenant/statements.ts";
import type { TenantSnapshot } from "../core/tenant/tenant.ts";
import {
  type AccountUsageSum,
  hasManyRows,
  maxSummedRows,
  sumUsage,
  sumUsageInParts,
  type UsageRange,
} from "./account-sums.ts";

/** Accounts of the first step. */
const firstStepSize = 10;
const maxStepSize = 1_000;
/** The factor by which the number of accounts may change from one step to the next. */
const maxFactor = 4;
/** A page begins after at most so many accounts: the best of all steps are merged on the serving thread. */
export const maxRankingOffset = 10_000;

const accountsAfter = select("usageRanking.accounts", {
  fields: { id: accounts.id },
  from: accounts,
  where: gt(accounts.id, integerInput("lastId")),
  orderBy: [asc(accounts.id)],
  paged: true,
  scanned: select("usageRanking.accounts.scanned", {
    fields: { id: accounts.id },
    from: accounts,
    paged: true,
  }).statement,
});
const namesOf = select("usageRanking.names", {
  fields: { id: accounts.id, name: accounts.name, externalId: accounts.externalId },
  from: accounts,
  where: isInJson(accounts.id, textInput("accountIds")),
});

/** An account with its number of events and the time of the last one, in milliseconds since 1970 UTC. */
export type RankedAccount = AccountUsageSum & { name: string; externalId: string | null };
export type RankingRequest = PageRequest & UsageRange;

/**
 * A page of the accounts with events in a range of days, the most events first; ties are ordered by id. Reads the usage
 * of all accounts in this range, in statements of some milliseconds. Throws `invalid_request` for a page with rows after
 * `maxRankingOffset`.
 */
export async function rankAccounts(
  snapshot: TenantSnapshot,
  { page, pageSize, ...range }: RankingRequest,
): Promise<{ rows: RankedAccount[]; pagination: Pagination }> {
  const offset = offsetOf({ page, pageSize });
  const isRanked = offset < maxRankingOffset;
  const compare = (a: AccountUsageSum, b: AccountUsageSum) => b.count - a.count || a.accountId - b.accountId;
  const first = new FirstRows<AccountUsageSum>(isRanked ? offset + pageSize : 0, compare);
  let total = 0;
  for await (const usage of readUsage(snapshot, range)) {
    total += usage.length;
    first.add(usage.sort(compare));
  }
  if (!isRanked && total > offset) throw pageTooDeep();
  const ranked = first.rows.slice(offset);
  return { rows: await withNames(snapshot, ranked), pagination: paginationOf({ page, pageSize }, total) };
}

function pageTooDeep(): Problem {
  const limit = maxRankingOffset.toLocaleString("en");
  const detail = `must begin within the first ${limit} accounts: select fewer with from, to or event`;
  return new Problem("invalid_request", { errors: [{ parameter: "page", code: "out_of_range", detail }] });
}

/** The usage of all accounts that have any in the range, in order of their ids, in steps of a limited number of rows. */
async function* readUsage(
  snapshot: TenantSnapshot,
  range: UsageRange,
): AsyncGenerator<AccountUsageSum[], void> {
  let stepSize = firstStepSize;
  for (let lastId: number | undefined = 0; lastId !== undefined; ) {
    const found: { id: number }[] = await snapshot.all(accountsAfter, { lastId, limit: stepSize, offset: 0 });
    const ids = found.map(({ id }) => id);
    const [id = 0] = ids;
    const hasMany = await hasManyRows(snapshot, ids, range);
    if (hasMany && ids.length > 1) {
      stepSize = Math.ceil(ids.length / maxFactor);
      continue;
    }
    const sums = hasMany ? sumUsageInParts(snapshot, id, range) : sumUsage(snapshot, ids, range);
    const { usage, rowCount } = await sums;
    yield usage;
    lastId = ids.length < stepSize ? undefined : ids.at(-1);
    stepSize = nextStepSize(stepSize, rowCount);
  }
}

/** The number of accounts of the next step, after one that summed `rowCount` rows. Its target is half of the limit. */
function nextStepSize(stepSize: number, rowCount: number): number {
  const factor = Math.min(maxFactor, maxSummedRows / 2 / Math.max(1, rowCount));
  return Math.min(maxStepSize, Math.max(1, Math.round(stepSize * factor)));
}

async function withNames(
  snapshot: TenantSnapshot,
  ranked: readonly AccountUsageSum[],
): Promise<RankedAccount[]> {
  const accountIds = JSON.stringify(ranked.map(({ accountId }) => accountId));
  const names = new Map((await snapshot.all(namesOf, { accountIds })).map(({ id, ...row }) => [id, row]));
  return ranked.flatMap((row) => {
    const account = names.get(row.accountId);
    return account ? [{ ...row, ...account }] : [];
  });
}
