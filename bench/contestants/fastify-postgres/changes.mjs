import { prepare } from "./database.mjs";

/** Whether a created account is also recorded in the change feed and in the stored totals, as accountd does. */
export const isRecording = process.env.CHANGES === "record";

const lockOrganization = prepare(
  `INSERT INTO organization_locks AS stored (organization_id, last_transaction_at) VALUES ($1, $2)
   ON CONFLICT (organization_id) DO UPDATE
     SET last_transaction_at = greatest(stored.last_transaction_at, excluded.last_transaction_at)`,
);
const insertChange = prepare(
  `WITH counted AS (
     INSERT INTO account_counts AS stored (organization_id, status, tier, count, scaled_mrr, mrr_error)
     VALUES ($1, $4, 'none', 1, $5, 0)
     ON CONFLICT (organization_id, status, tier) DO UPDATE
       SET count = stored.count + 1, scaled_mrr = stored.scaled_mrr + excluded.scaled_mrr
   )
   INSERT INTO changes (organization_id, sequence, resource, action, resource_id, account_id, changed_at, actor_type,
     after)
   SELECT $1, coalesce(max(sequence), 0) + 1, 'account', 'created', $2, $2, $3, 'key', $6
   FROM changes WHERE organization_id = $1`,
);

/**
 * Records a created account under the next sequence number of its organization. The lock is taken last, so that it is
 * held for two round trips and the commit only.
 */
export async function recordCreated(client, organizationId, row) {
  await client.query(lockOrganization(organizationId, row.created_at));
  await client.query(
    insertChange(organizationId, row.id, row.created_at, row.status, row.mrr, JSON.stringify(row)),
  );
}
