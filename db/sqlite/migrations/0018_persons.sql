-- The user id of a contact in the product, and when each member of a row was last set: a JSON object of timestamps,
-- written when the organization stores traits.
ALTER TABLE contacts ADD COLUMN user_id TEXT CHECK (user_id <> '');
CREATE UNIQUE INDEX contacts_user ON contacts (organization_id, user_id) WHERE user_id IS NOT NULL;
ALTER TABLE contacts ADD COLUMN member_times TEXT;
ALTER TABLE accounts ADD COLUMN member_times TEXT;

-- Traits of users without a contact and of groups without an account.
CREATE TABLE pending_traits (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  type TEXT NOT NULL CHECK (type IN ('group', 'user')),
  id TEXT NOT NULL CHECK (id <> ''),
  group_id TEXT,
  group_time INTEGER,
  folded_email TEXT,
  members TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  is_due INTEGER NOT NULL DEFAULT 0 CHECK (is_due IN (0, 1)),
  PRIMARY KEY (organization_id, type, id),
  CHECK ((group_id IS NULL) = (group_time IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX pending_traits_group ON pending_traits (organization_id, group_id);
CREATE INDEX pending_traits_received ON pending_traits (organization_id, received_at);
CREATE INDEX pending_traits_due ON pending_traits (organization_id, is_due, type, id) WHERE is_due = 1;

-- The key of the hashes that replace the message ids of erased persons.
ALTER TABLE organization_settings ADD COLUMN message_id_key TEXT CHECK (message_id_key <> '');
