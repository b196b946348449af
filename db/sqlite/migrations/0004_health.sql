-- When each other platform last saw somebody of the account.
CREATE TABLE last_seen (
  organization_id INTEGER NOT NULL,
  account_id INTEGER NOT NULL,
  source TEXT NOT NULL CHECK (source <> ''),
  last_seen_at INTEGER NOT NULL,
  PRIMARY KEY (organization_id, account_id, source),
  FOREIGN KEY (organization_id, account_id) REFERENCES accounts (organization_id, id)
) STRICT, WITHOUT ROWID;

-- The score that an account has until changes_at, and what the lists of scores are ordered by: all of it
-- follows from other rows. An account without a score ranks after those that have one.
CREATE TABLE account_health (
  organization_id INTEGER NOT NULL,
  account_id INTEGER NOT NULL,
  score REAL CHECK (score BETWEEN 0 AND 100),
  tier TEXT CHECK (tier IN ('healthy', 'attention', 'at_risk', 'critical')),
  coverage REAL NOT NULL CHECK (coverage BETWEEN 0 AND 1),
  rank REAL NOT NULL,
  mrr REAL NOT NULL,
  folded_name TEXT NOT NULL,
  changes_at INTEGER NOT NULL,
  PRIMARY KEY (organization_id, account_id),
  CHECK ((score IS NULL) = (tier IS NULL)),
  FOREIGN KEY (organization_id, account_id) REFERENCES accounts (organization_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX account_health_changes ON account_health (organization_id, changes_at);
CREATE INDEX account_health_rank ON account_health (organization_id, rank, account_id);
-- A tier's list in its other orders, and the sums of all tiers.
CREATE INDEX account_health_tier ON account_health (organization_id, tier, mrr, account_id);
CREATE INDEX account_health_tier_name ON account_health (organization_id, tier, folded_name, account_id)
  WHERE tier IS NOT NULL;

INSERT INTO account_health
  SELECT organization_id, id, NULL, NULL, 0, 101, mrr, folded_name, 0 FROM accounts;

-- Up to which event the scores of an organization are worked out.
CREATE TABLE health_progress (
  organization_id INTEGER PRIMARY KEY REFERENCES organizations (id),
  last_event_id INTEGER NOT NULL
) STRICT;

-- A score reads an account's requests from this index alone.
DROP INDEX requests_account;
CREATE INDEX requests_account
  ON requests (organization_id, account_id, requested_at, id, title, status, severity, resolved_at);
