-- Events as they were received. One with an external_id is parked: no account has that id yet. One with
-- neither account nor external_id was parked and has ended; it stays to tell a second copy.
CREATE TABLE events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  account_id INTEGER,
  external_id TEXT CHECK (external_id <> ''),
  message_id TEXT CHECK (message_id <> ''),
  event TEXT NOT NULL CHECK (event <> ''),
  timestamp INTEGER NOT NULL,
  user_id TEXT CHECK (user_id <> ''),
  properties TEXT,
  received_at INTEGER NOT NULL,
  CHECK (account_id IS NULL OR external_id IS NULL),
  UNIQUE (organization_id, message_id),
  FOREIGN KEY (organization_id, account_id) REFERENCES accounts (organization_id, id)
) STRICT;

-- Each index ends in the id: these are in the order of receipt.
CREATE INDEX events_received ON events (organization_id);
CREATE INDEX events_parked_received ON events (organization_id) WHERE external_id IS NOT NULL;
CREATE INDEX events_parked ON events (organization_id, external_id, timestamp) WHERE external_id IS NOT NULL;

-- The external ids that parked events name.
CREATE TABLE unmatched_ids (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  external_id TEXT NOT NULL CHECK (external_id <> ''),
  count INTEGER NOT NULL CHECK (count > 0),
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL CHECK (last_at >= first_at),
  UNIQUE (organization_id, external_id)
) STRICT;

-- What accounts did on a UTC day (days since 1970); kept for ever. The first of the day's users stands in its
-- row, for many days have one user alone; the others stand in usage_users. The users are forgotten when no more
-- events of the day can be counted. No foreign key here: it would be checked again for each event, and the account
-- was found in the same transaction.
CREATE TABLE usage_days (
  organization_id INTEGER NOT NULL,
  account_id INTEGER NOT NULL,
  day INTEGER NOT NULL,
  event TEXT NOT NULL CHECK (event <> ''),
  count INTEGER NOT NULL CHECK (count > 0),
  users INTEGER NOT NULL CHECK (users BETWEEN 0 AND count),
  first_user TEXT CHECK (first_user <> ''),
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL CHECK (last_at >= first_at),
  PRIMARY KEY (organization_id, account_id, day, event)
) STRICT, WITHOUT ROWID;

CREATE TABLE usage_users (
  organization_id INTEGER NOT NULL,
  account_id INTEGER NOT NULL,
  day INTEGER NOT NULL,
  event TEXT NOT NULL,
  user_id TEXT NOT NULL CHECK (user_id <> ''),
  PRIMARY KEY (organization_id, account_id, day, event, user_id)
) STRICT, WITHOUT ROWID;

-- Days of which events were removed: their users are forgotten next.
CREATE TABLE expiring_days (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  day INTEGER NOT NULL,
  account_id INTEGER NOT NULL,
  event TEXT NOT NULL,
  PRIMARY KEY (organization_id, day, account_id, event)
) STRICT, WITHOUT ROWID;
