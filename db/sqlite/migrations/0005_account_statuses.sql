-- Lists of the accounts in one status, in each order. Most accounts are active, and are listed from the indexes of
-- all; these hold the others, and cost nothing when an active account is made.
CREATE INDEX accounts_status_name ON accounts (organization_id, status, folded_name, id, folded_external_id)
  WHERE status <> 'active';
CREATE INDEX accounts_status_mrr ON accounts (organization_id, status, mrr, id) WHERE status <> 'active';
CREATE INDEX accounts_status_created_at ON accounts (organization_id, status, created_at, id) WHERE status <> 'active';
CREATE INDEX accounts_status_updated_at ON accounts (organization_id, status, updated_at, id) WHERE status <> 'active';
