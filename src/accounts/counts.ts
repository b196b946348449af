import { eq, sql } from "drizzle-orm";
import { inputs, textInput } from "../../db/expressions.ts";
import { type AccountStatus, accountCounts } from "../../db/schema.ts";
import type { TenantSnapshot, TenantTransaction } from "../core/tenant.ts";
import { insert, select, update } from "../core/tenant-statements.ts";

const { count } = accountCounts;
const counts = select("accountCounts.all", {
  fields: { status: accountCounts.status, count },
  from: accountCounts,
});
const increment = insert("accountCounts.increment", {
  into: accountCounts,
  values: { ...inputs(accountCounts, "status"), count: sql`1` },
  onConflict: {
    target: [accountCounts.organizationId, accountCounts.status],
    set: { count: sql`${count} + 1` },
  },
});
const decrement = update("accountCounts.decrement", {
  table: accountCounts,
  set: { count: sql`${count} - 1` },
  where: eq(accountCounts.status, textInput("status")),
});

/** The stored number of the organization's accounts, of one status or of all statuses. */
export async function countAccounts(snapshot: TenantSnapshot, status?: AccountStatus): Promise<number> {
  const rows = await snapshot.all(counts, {});
  return rows.reduce(
    (sum, row) => (status === undefined || row.status === status ? sum + row.count : sum),
    0,
  );
}

/** Moves an account from the count of one status to that of another. Null: the account is created, or deleted. */
export async function moveAccountCount(
  tx: TenantTransaction,
  from: AccountStatus | null,
  to: AccountStatus | null,
): Promise<void> {
  if (from !== null) await tx.run(decrement, { status: from });
  if (to !== null) await tx.run(increment, { status: to });
}
