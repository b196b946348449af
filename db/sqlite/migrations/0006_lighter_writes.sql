-- Less is written for each event and for each new account. Events lose their foreign key to the account, which was
-- checked for each although the account was found in the same transaction; their ids go on from where they were.
CREATE TABLE new_events (
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
  UNIQUE (organization_id, message_id)
) STRICT;

INSERT INTO new_events
  SELECT id, organization_id, account_id, external_id, message_id, event, timestamp, user_id, properties, received_at
  FROM events;
DELETE FROM sqlite_sequence WHERE name = 'new_events';
INSERT INTO sqlite_sequence (name, seq) SELECT 'new_events', seq FROM sqlite_sequence WHERE name = 'events';
DROP TABLE events;
ALTER TABLE new_events RENAME TO events;

CREATE INDEX events_received ON events (organization_id);
CREATE INDEX events_parked_received ON events (organization_id) WHERE external_id IS NOT NULL;
CREATE INDEX events_parked ON events (organization_id, external_id, timestamp) WHERE external_id IS NOT NULL;

-- Most accounts that are made have no tier yet.
DROP INDEX account_health_tier;
CREATE INDEX account_health_tier ON account_health (organization_id, tier, mrr, account_id) WHERE tier IS NOT NULL;
