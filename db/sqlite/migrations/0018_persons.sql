-- The user id of a contact in the product, and when each member of a row was last set: a JSON object of timestamps,
-- written when the organization stores traits.
ALTER TABLE contacts ADD COLUMN user_id TEXT CHECK (user_id <> '');
CREATE UNIQUE INDEX contacts_user ON contacts (organization_id, user_id) WHERE user_id IS NOT NULL;
ALTER TABLE contacts ADD COLUMN member_times TEXT;
ALTER TABLE accounts ADD COLUMN member_times TEXT;

-- Users of `identify` and `group` calls without a contact, because their account is not known yet.
CREATE TABLE pending_persons (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  user_id TEXT NOT NULL CHECK (user_id <> ''),
  group_id TEXT,
  group_time INTEGER,
  folded_email TEXT,
  members TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  account_id INTEGER,
  PRIMARY KEY (organization_id, user_id),
  CHECK ((group_id IS NULL) = (group_time IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX pending_persons_group ON pending_persons (organization_id, group_id) WHERE group_id IS NOT NULL;
CREATE INDEX pending_persons_received ON pending_persons (organization_id, received_at);
CREATE INDEX pending_persons_account ON pending_persons (organization_id, account_id) WHERE account_id IS NOT NULL;

-- The key of the hashes that replace the message ids of erased persons.
CREATE TABLE message_id_keys (
  organization_id INTEGER PRIMARY KEY REFERENCES organizations (id),
  key TEXT NOT NULL CHECK (key <> '')
) STRICT;
