-- The tables of the other contestants: what a good engineer makes for this API. Times are milliseconds.
-- Run on an empty file; plain-fill.sql brings the rows, and plain-indexes.sql comes last, for an index is made
-- sooner of rows that are there.
PRAGMA journal_mode = WAL;

CREATE TABLE organizations (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE api_keys (
  id INTEGER PRIMARY KEY,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;

CREATE TABLE accounts (
  id INTEGER PRIMARY KEY,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL,
  folded_name TEXT NOT NULL,
  external_id TEXT,
  folded_external_id TEXT,
  mrr REAL NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'onboarding', 'churned', 'inactive')),
  logo_url TEXT,
  contact_activity_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE contacts (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  email TEXT
) STRICT;

CREATE TABLE meetings (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  title TEXT NOT NULL,
  start_at INTEGER NOT NULL,
  end_at INTEGER NOT NULL
) STRICT;

CREATE TABLE requests (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  title TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('Open', 'Planned', 'Started', 'Done', 'Declined')),
  severity INTEGER NOT NULL,
  requested_at INTEGER NOT NULL
) STRICT;

CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  message_id TEXT,
  event TEXT NOT NULL,
  timestamp INTEGER NOT NULL,
  user_id TEXT,
  properties TEXT,
  received_at INTEGER NOT NULL
) STRICT;

-- What an account did on a UTC day (days since 1970), and by how many users: they are told apart by the table below.
CREATE TABLE usage_days (
  organization_id INTEGER NOT NULL,
  account_id INTEGER NOT NULL,
  day INTEGER NOT NULL,
  event TEXT NOT NULL,
  count INTEGER NOT NULL,
  users INTEGER NOT NULL,
  PRIMARY KEY (organization_id, account_id, day, event)
) STRICT, WITHOUT ROWID;

CREATE TABLE usage_users (
  account_id INTEGER NOT NULL,
  day INTEGER NOT NULL,
  event TEXT NOT NULL,
  user_id TEXT NOT NULL,
  PRIMARY KEY (account_id, day, event, user_id)
) STRICT, WITHOUT ROWID;
