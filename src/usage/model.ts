import { type Static, Type } from "@sinclair/typebox";
import { formatDay, formatTimestamp } from "../core/timestamps.ts";
import { PendingEvents } from "../http/replies/replies.ts";
import { AnyPagination, listOf, NumberedPagination } from "../http/validation/list-shapes.ts";
import { integer, nullableText, text, timestamp } from "../http/validation/shapes.ts";
import type { RankedAccount, UsageDayRow, UsageSumRow } from "./lists.ts";

const eventOfDay = {
  day: text({ format: "date", description: "The UTC day", examples: ["2026-01-02"] }),
  event: text({ description: "The name of the event", examples: ["report.exported"] }),
  count: integer({ minimum: 1, description: "Number of events", examples: [12] }),
};
const UsageDay = Type.Object(
  {
    ...eventOfDay,
    users: integer({
      minimum: 0,
      description: "Number of users; events without a user are not included",
      examples: [3],
    }),
  },
  { $id: "UsageDay", description: "The usage of an account on a day: one event" },
);
export const UsagePage = Type.Object(
  { data: Type.Array(UsageDay), pagination: AnyPagination, pendingEvents: PendingEvents },
  { $id: "UsagePage" },
);

const UsageSum = Type.Object(
  {
    ...eventOfDay,
    users: integer({
      minimum: 0,
      description:
        "Number of users; a user of several accounts counts once. Events without a user are not included",
      examples: [3],
    }),
    accounts: integer({ minimum: 1, description: "Number of accounts with such events", examples: [2] }),
  },
  { $id: "UsageSum", description: "The usage of all accounts on a day: one event" },
);
export const UsageSumPage = listOf(UsageSum, "UsageSumPage");
const AccountUsage = Type.Object(
  {
    accountId: integer({ examples: [42] }),
    name: text({ examples: ["Acme"] }),
    externalId: nullableText({ examples: ["acme"] }),
    count: integer({ minimum: 1, description: "Number of events in the range", examples: [12] }),
    lastAt: timestamp("The time of the last of these events"),
  },
  { $id: "AccountUsage", description: "An account and its usage in a range of days" },
);
export const UsageRankingPage = Type.Object(
  { data: Type.Array(AccountUsage), pagination: NumberedPagination },
  { $id: "UsageRankingPage" },
);

export function presentUsageSum(row: UsageSumRow): Static<typeof UsageSum> {
  const { day, event, count, users, accountCount } = row;
  return { day: formatDay(day), event, count, users, accounts: accountCount };
}

export function presentAccountUsage(row: RankedAccount): Static<typeof AccountUsage> {
  const { accountId, name, externalId, count, lastAt } = row;
  return { accountId, name, externalId, count, lastAt: formatTimestamp(lastAt) };
}

export function presentUsageDay({ day, event, count, users }: UsageDayRow): Static<typeof UsageDay> {
  return { day: formatDay(day), event, count, users };
}
