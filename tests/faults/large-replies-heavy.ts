import { type PathIds, type ReplyGround, senderOf } from "./large-replies-data.ts";
import { fair, type ReplyRow } from "./large-replies-rows.ts";
import { fillSmallRows } from "./large-replies-small.ts";
import { loadRequest } from "./load.ts";

const connections = 64;
/** Sub-resources of the first account for each row of the plan, and of each other one: too many for a batch. */
const rowsPerCount = 200;
const rowsOfOthers = 2_000;
const otherCount = 10;
/** The time for a row of a single deletion, for which other writes wait once. */
const millisecondsPerRow = 0.005;
const largestRowCount = 200_000;
const idOf = (account: number) => `heavy-${account}`;
const pathOf = (account: number) => `/api/v1/accounts/external/${idOf(account)}`;

/** Small rows, and accounts to which `addSubResources` adds rows. */
export async function fillHeavyRows(url: string, key: string): Promise<PathIds> {
  const ids = await fillSmallRows(url, key);
  const accounts = Array.from({ length: otherCount + 1 }, (_, i) => ({ externalId: idOf(i), name: idOf(i) }));
  await senderOf(url, key)("POST", "/api/v1/accounts/batch", { accounts });
  return ids;
}

/** Adds contacts to the accounts. Runs SQL, because requests would take minutes. */
export async function addSubResources({ execute }: ReplyGround, count: number): Promise<void> {
  for (let account = 0; account <= otherCount; account += 1)
    await execute(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
      WHERE i < ${account === 0 ? count * rowsPerCount : rowsOfOthers})
      INSERT INTO contacts (organization_id, account_id, name, folded_name, created_at, updated_at)
      SELECT organization_id, id, 'Contact ' || i, 'contact ' || i, i, i FROM accounts, n
      WHERE external_id = '${idOf(account)}'`);
}

const batchOfDeletes =
  (query = "") =>
  ({ key }: { key: string }) => {
    const operations = Array.from({ length: otherCount }, (_, i) => ({
      method: "DELETE",
      path: pathOf(i + 1),
    }));
    const body = JSON.stringify({ mode: "partial", operations });
    return [loadRequest(key, "POST", `/api/v1/batch${query}`, { body })];
  };

/** Deletions of accounts with many rows, and erasures. The last row deletes the first account. */
export const heavyRows: readonly ReplyRow[] = [
  {
    name: "dry runs of a DELETE of 200,000 rows",
    connections,
    requests: ({ key }) => [loadRequest(key, "DELETE", `${pathOf(0)}?dryRun=true`)],
    limits: fair,
  },
  { name: "ten DELETEs in a batch", connections, requests: batchOfDeletes(), limits: fair },
  { name: "dry batches of DELETEs", connections: 4, requests: batchOfDeletes("?dryRun=true"), limits: fair },
  {
    name: "64 dry runs of erasures",
    connections,
    requests: ({ key }) => [
      loadRequest(key, "POST", "/api/v1/erasures?dryRun=true", {
        body: JSON.stringify({ email: "u5@example.com", userId: "u5" }),
      }),
    ],
    limits: fair,
    isLimited: true,
  },
  {
    name: "DELETE of 200,000 rows",
    connections: 1,
    requests: ({ key }) => [loadRequest(key, "DELETE", pathOf(0))],
    limits: { ...fair, patch: largestRowCount * millisecondsPerRow },
    maxReplies: 1,
    isMeasuredFirst: true,
  },
];
