CREATE TABLE organizations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL CHECK (name <> ''),
  folded_name TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE api_keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE CHECK (length(hash) = 64),
  last_four TEXT NOT NULL CHECK (length(last_four) = 4),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER
) STRICT;

CREATE INDEX api_keys_organization ON api_keys (organization_id, id);

CREATE TABLE accounts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL CHECK (name <> ''),
  folded_name TEXT NOT NULL,
  external_id TEXT CHECK (external_id <> ''),
  folded_external_id TEXT,
  mrr REAL NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'onboarding', 'churned', 'inactive')),
  logo_url TEXT,
  contact_activity_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL CHECK (updated_at >= created_at),
  UNIQUE (organization_id, id),
  UNIQUE (organization_id, external_id)
) STRICT;

-- Name order and search read this index alone: the text that is searched and the status stand in it.
CREATE INDEX accounts_name ON accounts (organization_id, folded_name, id, folded_external_id, status);
CREATE INDEX accounts_mrr ON accounts (organization_id, mrr, id, status);
CREATE INDEX accounts_created_at ON accounts (organization_id, created_at, id, status);
CREATE INDEX accounts_updated_at ON accounts (organization_id, updated_at, id, status);

CREATE TABLE account_counts (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  status TEXT NOT NULL CHECK (status IN ('active', 'onboarding', 'churned', 'inactive')),
  count INTEGER NOT NULL CHECK (count >= 0),
  PRIMARY KEY (organization_id, status)
) STRICT, WITHOUT ROWID;

CREATE TABLE contacts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL,
  account_id INTEGER NOT NULL,
  name TEXT NOT NULL CHECK (name <> ''),
  email TEXT CHECK (email <> ''),
  created_at INTEGER NOT NULL,
  FOREIGN KEY (organization_id, account_id) REFERENCES accounts (organization_id, id)
) STRICT;

-- An account's lists are read from these indexes alone: the rows stand together there, and nowhere else.
CREATE INDEX contacts_account ON contacts (organization_id, account_id, id, name, email);

CREATE TABLE meetings (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL,
  account_id INTEGER NOT NULL,
  title TEXT NOT NULL,
  start_at INTEGER NOT NULL,
  end_at INTEGER NOT NULL CHECK (end_at >= start_at),
  created_at INTEGER NOT NULL,
  FOREIGN KEY (organization_id, account_id) REFERENCES accounts (organization_id, id)
) STRICT;

CREATE INDEX meetings_account ON meetings (organization_id, account_id, start_at, id, title, end_at);

CREATE TABLE requests (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL,
  account_id INTEGER NOT NULL,
  title TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('Open', 'Planned', 'Started', 'Done', 'Declined')),
  severity INTEGER NOT NULL CHECK (severity BETWEEN 1 AND 5),
  requested_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  FOREIGN KEY (organization_id, account_id) REFERENCES accounts (organization_id, id)
) STRICT;

CREATE INDEX requests_account ON requests (organization_id, account_id, requested_at, id, title, status, severity);
