import { eq, sql } from "drizzle-orm";
import { type AccountStatus, accountCounts } from "../../db/schema.ts";
import { inputs, textInput } from "../../db/statements.ts";
import { insert, select, type Tenant, type TenantTransaction, update } from "../core/tenant.ts";

const { count } = accountCounts;
const counts = select({ fields: { status: accountCounts.status, count }, from: accountCounts });
const incrementCount = insert({
  into: accountCounts,
  values: { ...inputs("status"), count: sql`1` },
  onConflict: {
    target: [accountCounts.organizationId, accountCounts.status],
    set: { count: sql`${count} + 1` },
  },
});
const decrementCount = update({
  table: accountCounts,
  set: { count: sql`${count} - 1` },
  where: eq(accountCounts.status, textInput("status")),
});

/** How many accounts the organization has, or has in one status. The numbers are stored, and not counted. */
export async function countAccounts(tenant: Tenant, status?: AccountStatus): Promise<number> {
  const rows = await tenant.rows.all(counts, {});
  return rows.reduce(
    (sum, row) => (status === undefined || row.status === status ? sum + row.count : sum),
    0,
  );
}

/** Counts a new account, in the transaction that stores it. */
export async function incrementAccountCount(tx: TenantTransaction, status: AccountStatus): Promise<void> {
  await tx.run(incrementCount, { status });
}

/** Counts an account in another status, in the transaction that gives it that. */
export async function moveAccountCount(
  tx: TenantTransaction,
  from: AccountStatus,
  to: AccountStatus,
): Promise<void> {
  await tx.run(decrementCount, { status: from });
  await tx.run(incrementCount, { status: to });
}
