import { api } from "./api.ts";

export type NamedAccount = { id: number; name: string; mrr: number };
export type WithAccount<Row> = Row & { account: NamedAccount | undefined };

/** The rows, at most 100, with their accounts. `account` is undefined if it was deleted after the rows were read. */
export async function withAccounts<Row extends { accountId: number }>(
  rows: readonly Row[],
  signal: AbortSignal,
): Promise<WithAccount<Row>[]> {
  const ids = [...new Set(rows.map(({ accountId }) => accountId))];
  if (ids.length === 0) return [];
  const query = { "id.in": ids, pageSize: 100, fields: ["name" as const, "mrr" as const] };
  const { data } = await api.GET("/api/v1/accounts", { params: { query }, signal });
  const accounts = new Map(data.data.map((account) => [account.id, account]));
  return rows.map((row) => ({ ...row, account: accounts.get(row.accountId) }));
}
