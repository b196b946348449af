import { api } from "./api.ts";

export type NamedAccount = { id: number; name: string; mrr: number };
export type WithAccount<Row> = Row & { account: NamedAccount | undefined };

/** The rows, at most 100, with their accounts. `account` is undefined without an id, and when the account is deleted. */
export async function withAccounts<Row extends { accountId: number | null }>(
  rows: readonly Row[],
  signal: AbortSignal,
): Promise<WithAccount<Row>[]> {
  const ids = [...new Set(rows.flatMap(({ accountId }) => accountId ?? []))];
  const accounts = new Map<number | null, NamedAccount>();
  if (ids.length > 0) {
    const query = { "id.in": ids, pageSize: 100, fields: ["name" as const, "mrr" as const] };
    const { data } = await api.GET("/api/v1/accounts", { params: { query }, signal });
    for (const account of data.data) accounts.set(account.id, account);
  }
  return rows.map((row) => ({ ...row, account: accounts.get(row.accountId) }));
}
