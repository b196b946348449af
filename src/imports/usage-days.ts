import { excludedColumns, inputs } from "../../db/expressions.ts";
import { usageDays } from "../../db/schema.ts";
import { markScoresStale } from "../account-counts/stale-scores.ts";
import { invalidField, type Problem } from "../core/errors.ts";
import { maxImportedDays } from "../core/event-limits.ts";
import { findAccounts } from "../core/resource/account-reference.ts";
import { notFound } from "../core/resource/resource.ts";
import { type UpsertResult, upsertRows } from "../core/resource/upsert-rows.ts";
import { insert } from "../core/tenant/statements.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { dayOf, millisecondsOfDay } from "../core/timestamps.ts";
import { readDays, type StoredDay } from "../usage/store.ts";
import { addToSums, changeSums } from "../usage/sums.ts";

/** The events of one name on a day (days since 1970) of the account with an external id, and their anonymous users. */
export type ImportedDay = { externalId: string; event: string; day: number; count: number; users: number };

const totals = ["count", "users", "firstAt", "lastAt", "importedCount", "importedUsers"] as const;
const save = insert("usageDays.import", {
  into: usageDays,
  values: inputs(usageDays, "accountId", "day", "event", ...totals),
  onConflict: {
    target: [usageDays.organizationId, usageDays.accountId, usageDays.day, usageDays.event],
    set: excludedColumns(usageDays, ...totals),
  },
});

type ImportedTotals = { accountId: number; day: number; event: string; count: number; users: number };

/**
 * Stores days that have no events of their own; a row that equals such a day changes nothing. A row replaces the imported row of its account, event and day. Each row
 * fails for itself: for an account that does not exist, a day that is not over or too old, and one that has events.
 */
export async function importDays(
  tx: TenantTransaction,
  items: readonly (ImportedDay | Problem)[],
): Promise<UpsertResult[]> {
  const rows = items.flatMap((item) => ("externalId" in item ? [item] : []));
  const accountOf = await findAccounts(
    tx,
    rows.map(({ externalId }) => ({ accountExternalId: externalId })),
  );
  const found = await findDays(tx, rows, ({ externalId }) => accountOf({ accountExternalId: externalId }));
  const changed = new Map<string, ImportedTotals>();
  const results = await upsertRows(
    tx,
    items,
    async ({ externalId, event, day, count, users }: ImportedDay) => {
      checkDay(day, dayOf(tx.now));
      const accountId = accountOf({ accountExternalId: externalId }) ?? notFound("account", externalId);
      const key = keyOf(accountId, day, event);
      const stored = found.get(key);
      const before = changed.get(key) ?? stored;
      if (before?.count === count && before.users === users) return { id: accountId, result: "unchanged" };
      if (stored && stored.count > stored.importedCount)
        throw invalidField(
          "/day",
          "not_allowed",
          "must be one without events of this name that were sent to the API",
        );
      changed.set(key, { accountId, day, event, count, users });
      return { id: accountId, result: before ? "updated" : "created" };
    },
  );
  await saveDays(tx, [...changed.values()], found);
  return results;
}

function keyOf(accountId: number, day: number, event: string): string {
  return `${accountId} ${day} ${event}`;
}

/** Throws for a day that is not over, or too old. */
function checkDay(day: number, today: number): void {
  if (day >= today) throw invalidField("/day", "out_of_range", "must be over: before today (UTC)");
  if (day < today - maxImportedDays)
    throw invalidField("/day", "out_of_range", `must be at most ${maxImportedDays} days ago`);
}

/** The stored days of rows, by `keyOf`. */
async function findDays(
  tx: TenantTransaction,
  rows: readonly ImportedDay[],
  accountOf: (row: ImportedDay) => number | undefined,
): Promise<Map<string, StoredDay>> {
  const found = new Map<string, StoredDay>();
  const groups = Map.groupBy(rows, ({ day, event }) => `${day} ${event}`);
  for (const group of groups.values()) {
    const [{ day = 0, event = "" } = {}] = group;
    const accountIds = group.flatMap((row) => accountOf(row) ?? []);
    for (const row of await readDays(tx, accountIds, { day, event }))
      found.set(keyOf(row.accountId, day, event), row);
  }
  return found;
}

/** Stores the days with their sums of all accounts, and marks the scores of their accounts as stale. */
async function saveDays(
  tx: TenantTransaction,
  days: readonly ImportedTotals[],
  found: ReadonlyMap<string, StoredDay>,
): Promise<void> {
  await tx.insertAll(
    save,
    days.map(({ day, count, users, ...key }) => {
      // Counts as one event at the beginning of the day.
      const at = day * millisecondsOfDay;
      const imported = { importedCount: count, importedUsers: users };
      return { ...key, day, count, users, firstAt: at, lastAt: at, ...imported };
    }),
  );
  const before = (row: ImportedTotals) => found.get(keyOf(row.accountId, row.day, row.event));
  const added = days.filter((row) => !before(row));
  await addToSums(
    tx,
    added.map((row) => ({ ...row, isNew: true, newUsers: [] })),
  );
  const replaced = days.flatMap(({ count, users, ...row }) => {
    const old = before({ ...row, count, users });
    return old ? [{ ...row, count: count - old.count, users: users - old.users }] : [];
  });
  await changeSums(tx, replaced);
  await markScoresStale(tx, [...new Set(days.map(({ accountId }) => accountId))]);
}
