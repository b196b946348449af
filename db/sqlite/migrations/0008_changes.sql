-- The change log of each organization, in commit order without gaps.
CREATE TABLE changes (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  sequence INTEGER NOT NULL CHECK (sequence > 0),
  resource TEXT NOT NULL,
  action TEXT NOT NULL,
  resource_id INTEGER NOT NULL,
  account_id INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  actor_type TEXT NOT NULL,
  key_id INTEGER,
  key_name TEXT,
  request_id TEXT,
  before TEXT,
  after TEXT,
  PRIMARY KEY (organization_id, sequence)
) STRICT, WITHOUT ROWID;

-- The changes of each account. Every 2,000th change adds the last 2,000 together: an index of `changes` would write
-- another page in each transaction.
CREATE TABLE account_changes (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  account_id INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  PRIMARY KEY (organization_id, account_id, sequence)
) STRICT, WITHOUT ROWID;

-- Deleted accounts whose events and usage are still being deleted, and organizations in the same state.
CREATE TABLE account_deletions (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  account_id INTEGER NOT NULL,
  last_event_id INTEGER NOT NULL,
  PRIMARY KEY (organization_id, account_id)
) STRICT, WITHOUT ROWID;

-- Accounts that took an external id under which many events were pending: a job attaches these events in steps.
CREATE TABLE attachments (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  external_id TEXT NOT NULL CHECK (external_id <> ''),
  last_event_id INTEGER NOT NULL,
  account_id INTEGER NOT NULL,
  count INTEGER NOT NULL CHECK (count > 0),
  expired_at INTEGER NOT NULL,
  next_timestamp INTEGER NOT NULL,
  PRIMARY KEY (organization_id, external_id, last_event_id)
) STRICT, WITHOUT ROWID;

ALTER TABLE organizations ADD COLUMN deleted_at INTEGER;

-- The number and the revenue of the accounts of each tier, for the summary of health. The revenue is scaled by 2^40, so
-- that no sum overflows.
CREATE TABLE new_account_counts (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  status TEXT NOT NULL CHECK (status IN ('active', 'onboarding', 'churned', 'inactive')),
  tier TEXT NOT NULL CHECK (tier IN ('healthy', 'attention', 'at_risk', 'critical', 'none')),
  count INTEGER NOT NULL CHECK (count >= 0),
  scaled_mrr REAL NOT NULL,
  mrr_error REAL NOT NULL,
  PRIMARY KEY (organization_id, status, tier)
) STRICT, WITHOUT ROWID;
INSERT INTO new_account_counts
  SELECT organization_id, status, coalesce(tier, 'none'), count(*), sum(mrr / 1099511627776.0), 0
  FROM accounts GROUP BY organization_id, status, tier;
DROP TABLE account_counts;
ALTER TABLE new_account_counts RENAME TO account_counts;

-- The summary of health reads the stored sums, so that an update of the revenue need not write this index.
DROP INDEX accounts_rank;
CREATE INDEX accounts_rank ON accounts (organization_id, rank, id, tier);

-- The sums of an account's requests, for its health: of those that are not resolved, and of those resolved after
-- resolved_after, which a job moves forward.
ALTER TABLE accounts ADD COLUMN open_severity INTEGER NOT NULL DEFAULT 0 CHECK (open_severity >= 0);
ALTER TABLE accounts ADD COLUMN resolved_count INTEGER NOT NULL DEFAULT 0 CHECK (resolved_count >= 0);
ALTER TABLE accounts ADD COLUMN resolved_time INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN resolved_after INTEGER NOT NULL DEFAULT 0;
UPDATE accounts SET open_severity = sums.open_severity, resolved_count = sums.resolved_count,
  resolved_time = sums.resolved_time, resolved_after = sums.resolved_after
  FROM (
    SELECT account_id, start AS resolved_after, total(severity) FILTER (WHERE resolved_at IS NULL) AS open_severity,
      count(*) FILTER (WHERE resolved_at > start) AS resolved_count,
      coalesce(sum(max(0, resolved_at - requested_at)) FILTER (WHERE resolved_at > start), 0) AS resolved_time
    FROM requests, (SELECT (unixepoch() - 90 * 86400) * 1000 AS start)
    GROUP BY account_id
  ) AS sums
  WHERE accounts.id = sums.account_id;
CREATE INDEX requests_resolved ON requests (organization_id, account_id, resolved_at, requested_at, severity)
  WHERE resolved_at IS NOT NULL;

-- An account's events of all names on a complete day, for its health. The score job stores it for days with many names.
CREATE TABLE usage_totals (
  organization_id INTEGER NOT NULL,
  account_id INTEGER NOT NULL,
  day INTEGER NOT NULL,
  count INTEGER NOT NULL CHECK (count > 0),
  last_at INTEGER NOT NULL,
  PRIMARY KEY (organization_id, account_id, day)
) STRICT, WITHOUT ROWID;

-- The latest time for which scores were computed: a start of the program before it computes them again.
ALTER TABLE health_progress ADD COLUMN refreshed_at INTEGER NOT NULL DEFAULT 0;
