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
