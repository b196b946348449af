-- Random values that all copies of the service share, such as the key of cursors.
CREATE TABLE secrets (
  name text COLLATE "C" NOT NULL PRIMARY KEY,
  value text COLLATE "C" NOT NULL,
  CONSTRAINT secrets_value CHECK (value <> '')
);

-- The contact activity of an account from all sources; 9007199254740991 without one. The score job stores it. Rows from
-- before get the value that the job would compute.
ALTER TABLE accounts ADD COLUMN activity_at bigint NOT NULL DEFAULT 9007199254740991;
UPDATE accounts SET activity_at = sources.at FROM (
  SELECT accounts.id, coalesce(
    accounts.contact_activity_at,
    (SELECT max(last_seen_at) FROM last_seen
      WHERE last_seen.organization_id = accounts.organization_id AND last_seen.account_id = accounts.id),
    (SELECT max(last_at) FROM usage_days
      WHERE usage_days.organization_id = accounts.organization_id AND usage_days.account_id = accounts.id)
  ) AS at FROM accounts
) AS sources WHERE accounts.id = sources.id AND sources.at IS NOT NULL;
CREATE INDEX accounts_activity ON accounts (organization_id, activity_at, id, status);
CREATE INDEX accounts_status_activity ON accounts (organization_id, status, activity_at, id) WHERE status <> 'active';
CREATE INDEX accounts_status_rank ON accounts (organization_id, status, rank, id) WHERE status <> 'active';

-- The lists of contacts and meetings of an organization.
CREATE INDEX contacts_name ON contacts (organization_id, folded_name, id, folded_email);
CREATE INDEX contacts_created_at ON contacts (organization_id, created_at, id);
CREATE INDEX contacts_updated_at ON contacts (organization_id, updated_at, id);
CREATE INDEX meetings_start_at ON meetings (organization_id, start_at, id);
CREATE INDEX meetings_end_at ON meetings (organization_id, end_at, id);
CREATE INDEX meetings_title ON meetings (organization_id, folded_title, id);
CREATE INDEX meetings_created_at ON meetings (organization_id, created_at, id);
CREATE INDEX meetings_updated_at ON meetings (organization_id, updated_at, id);
