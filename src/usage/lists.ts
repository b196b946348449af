import { eq } from "drizzle-orm";
import { integerInput } from "../../db/expressions.ts";
import { usageDays, usageSums } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import type { Page } from "../core/lists/list.ts";
import type { PageRequest } from "../core/lists/paging.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";
import { type DayRangeRequest, defineDayList, readDayList } from "./day-list.ts";

const dayFields = {
  day: usageDays.day,
  event: usageDays.event,
  count: usageDays.count,
  users: usageDays.users,
};
export type UsageDayRow = Row<typeof dayFields>;
const sumFields = {
  day: usageSums.day,
  event: usageSums.event,
  count: usageSums.count,
  users: usageSums.users,
  accountCount: usageSums.accountCount,
};
export type UsageSumRow = Row<typeof sumFields>;

const daysOfAccount = defineDayList("usageDays", {
  from: usageDays,
  fields: dayFields,
  owner: eq(usageDays.accountId, integerInput("accountId")),
});
const sums = defineDayList("usageSums", { from: usageSums, fields: sumFields });

/** A page of an account's totals from one UTC day to another, both included, ordered by day and event. */
export function listUsage(
  snapshot: TenantSnapshot,
  request: DayRangeRequest & PageRequest & { accountId: number },
): Promise<Page<UsageDayRow>> {
  return readDayList(snapshot, daysOfAccount, request, ["usage", request.accountId]);
}

/** A page of the sums of all accounts, likewise. */
export function listUsageSums(
  snapshot: TenantSnapshot,
  request: DayRangeRequest & PageRequest,
): Promise<Page<UsageSumRow>> {
  return readDayList(snapshot, sums, request, ["usageSums"]);
}
