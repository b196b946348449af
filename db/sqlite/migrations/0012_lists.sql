-- Random values that all copies of the service share, such as the key of cursors.
CREATE TABLE secrets (
  name TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL CHECK (value <> '')
) STRICT;

-- The contact activity of an account from all sources; 9007199254740991 without one. The score job stores it. Rows from
-- before get the value that the job would compute. The table is rebuilt, because SQLite cannot change the checks of a
-- table. They compare with OR: for IN with three or more values, SQLite builds a table at each insert.
CREATE TABLE new_accounts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL CHECK (name <> ''),
  folded_name TEXT NOT NULL,
  external_id TEXT CHECK (external_id <> ''),
  folded_external_id TEXT,
  mrr REAL NOT NULL,
  status TEXT NOT NULL
    CHECK (status = 'active' OR status = 'onboarding' OR status = 'churned' OR status = 'inactive'),
  logo_url TEXT,
  contact_activity_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL CHECK (updated_at >= created_at),
  score REAL CHECK (score BETWEEN 0 AND 100),
  tier TEXT CHECK (tier = 'healthy' OR tier = 'attention' OR tier = 'at_risk' OR tier = 'critical'),
  coverage REAL NOT NULL DEFAULT 0 CHECK (coverage BETWEEN 0 AND 1),
  rank REAL NOT NULL DEFAULT 101,
  score_stale_at INTEGER,
  open_severity INTEGER NOT NULL DEFAULT 0 CHECK (open_severity >= 0),
  resolved_count INTEGER NOT NULL DEFAULT 0 CHECK (resolved_count >= 0),
  resolved_time INTEGER NOT NULL DEFAULT 0,
  resolved_after INTEGER NOT NULL DEFAULT 0,
  version INTEGER NOT NULL DEFAULT 1,
  activity_at INTEGER NOT NULL DEFAULT 9007199254740991,
  CHECK ((score IS NULL) = (tier IS NULL)),
  UNIQUE (organization_id, id),
  UNIQUE (organization_id, external_id)
) STRICT;

INSERT INTO new_accounts
  SELECT id, organization_id, name, folded_name, external_id, folded_external_id, mrr, status, logo_url,
    contact_activity_at, created_at, updated_at, score, tier, coverage, rank, score_stale_at, open_severity,
    resolved_count, resolved_time, resolved_after, version, coalesce(
      contact_activity_at,
      (SELECT max(last_seen_at) FROM last_seen
        WHERE last_seen.organization_id = accounts.organization_id AND last_seen.account_id = accounts.id),
      (SELECT max(last_at) FROM usage_days
        WHERE usage_days.organization_id = accounts.organization_id AND usage_days.account_id = accounts.id),
      9007199254740991
    )
  FROM accounts ORDER BY id;
DELETE FROM sqlite_sequence WHERE name = 'new_accounts';
INSERT INTO sqlite_sequence (name, seq) SELECT 'new_accounts', seq FROM sqlite_sequence WHERE name = 'accounts';
DROP TABLE accounts;
ALTER TABLE new_accounts RENAME TO accounts;

CREATE INDEX accounts_name ON accounts (organization_id, folded_name, id, folded_external_id, status);
CREATE INDEX accounts_mrr ON accounts (organization_id, mrr, id, status);
CREATE INDEX accounts_created_at ON accounts (organization_id, created_at, id, status);
CREATE INDEX accounts_updated_at ON accounts (organization_id, updated_at, id, status);
CREATE INDEX accounts_status_name ON accounts (organization_id, status, folded_name, id, folded_external_id)
  WHERE status <> 'active';
CREATE INDEX accounts_status_mrr ON accounts (organization_id, status, mrr, id) WHERE status <> 'active';
CREATE INDEX accounts_status_created_at ON accounts (organization_id, status, created_at, id) WHERE status <> 'active';
CREATE INDEX accounts_status_updated_at ON accounts (organization_id, status, updated_at, id) WHERE status <> 'active';
CREATE INDEX accounts_rank ON accounts (organization_id, rank, id, tier);
CREATE INDEX accounts_score_stale ON accounts (organization_id, score_stale_at) WHERE score_stale_at IS NOT NULL;
CREATE INDEX accounts_tier_mrr ON accounts (organization_id, tier, mrr, id) WHERE tier IS NOT NULL;
CREATE INDEX accounts_tier_name ON accounts (organization_id, tier, folded_name, id) WHERE tier IS NOT NULL;
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
