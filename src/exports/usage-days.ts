import { asc, gte, lt } from "drizzle-orm";
import { allOf, integerInput, isAfter, pick, textInput } from "../../db/expressions.ts";
import { usageDays } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import { maxImportedDays } from "../core/event-limits.ts";
import { type CursorPage, readCursorPage } from "../core/lists/cursor.ts";
import type { PageRequest } from "../core/lists/paging.ts";
import { readAccountExternalIds } from "../core/resource/account-reference.ts";
import { select } from "../core/tenant/statements.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";
import { dayOf, formatDay } from "../core/timestamps.ts";

const { accountId, day, event } = usageDays;
const fields = pick(usageDays, "accountId", "day", "event", "count", "users");
const importable = select("usageDays.export", {
  fields,
  from: usageDays,
  where: allOf(
    gte(day, integerInput("from")),
    lt(day, integerInput("today")),
    isAfter(
      [accountId, day, event],
      [integerInput("afterAccountId"), integerInput("afterDay"), textInput("afterEvent")],
    ),
  ),
  orderBy: [asc(accountId), asc(day), asc(event)],
  paged: true,
});

/** A day of an account as an import reads it. */
type ExportedDay = {
  externalId: string | null;
  event: string;
  day: string;
  count: number;
  users: number;
};

/** A page of the days that an import accepts: days that are over, at most `maxImportedDays` ago, in the order of the accounts. */
export async function readExportedDays(
  snapshot: TenantSnapshot,
  page: PageRequest,
): Promise<CursorPage<ExportedDay>> {
  const today = dayOf(snapshot.now);
  const { rows, ...pageOf } = await readCursorPage<Row<typeof fields>>(snapshot, page, {
    query: ["usageDays"],
    positionOf: ({ accountId, day, event }) => [accountId, day, event],
    readAfter: (after, limit) => {
      const [afterAccountId = 0, afterDay = 0, afterEvent = ""] = after ?? [];
      const position = { afterAccountId, afterDay, afterEvent };
      return snapshot.all(importable, {
        from: today - maxImportedDays,
        today,
        ...position,
        limit,
        offset: 0,
      });
    },
  });
  const externalIds = await readAccountExternalIds(
    snapshot,
    rows.map(({ accountId }) => accountId),
  );
  const exported = rows.map(({ accountId, day, ...row }) => ({
    externalId: externalIds.get(accountId) ?? null,
    ...{ event: row.event, day: formatDay(day), count: row.count, users: row.users },
  }));
  return { rows: exported, ...pageOf };
}
