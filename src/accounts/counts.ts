import { eq, sql } from "drizzle-orm";
import { type AccountStatus, accountCounts } from "../../db/schema.ts";
import { inputs, textInput } from "../../db/statements.ts";
import { insert, type OwnWriter, select, type Tenant, update } from "../core/tenant.ts";

const { count } = accountCounts;
const counts = select({ fields: { status: accountCounts.status, count }, from: accountCounts });
const oneMore = insert({
  into: accountCounts,
  values: { ...inputs("status"), count: sql`1` },
  onConflict: {
    target: [accountCounts.organizationId, accountCounts.status],
    set: { count: sql`${count} + 1` },
  },
});
const oneLess = update({
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
export async function countOneMore(rows: OwnWriter, status: AccountStatus): Promise<void> {
  await rows.run(oneMore, { status });
}

/** Counts an account in another status, in the transaction that gives it that. */
export async function countMove(rows: OwnWriter, from: AccountStatus, to: AccountStatus): Promise<void> {
  await rows.run(oneLess, { status: from });
  await rows.run(oneMore, { status: to });
}
