-- The user id of a contact in the product, and when each member of a row was last set: a JSON object of timestamps,
-- written when the organization stores traits.
ALTER TABLE contacts ADD COLUMN user_id text COLLATE "C" CONSTRAINT contacts_user_id CHECK (user_id <> '');
CREATE UNIQUE INDEX contacts_user ON contacts (organization_id, user_id) WHERE user_id IS NOT NULL;
ALTER TABLE contacts ADD COLUMN member_times text COLLATE "C";
ALTER TABLE accounts ADD COLUMN member_times text COLLATE "C";

-- Users of `identify` and `group` calls without a contact, because their account is not known yet.
CREATE TABLE pending_persons (
  organization_id bigint NOT NULL REFERENCES organizations (id),
  user_id text COLLATE "C" NOT NULL,
  group_id text COLLATE "C",
  group_time bigint,
  folded_email text COLLATE "C",
  members text COLLATE "C" NOT NULL,
  received_at bigint NOT NULL,
  account_id bigint,
  PRIMARY KEY (organization_id, user_id),
  CONSTRAINT pending_persons_user_id CHECK (user_id <> ''),
  CONSTRAINT pending_persons_group_time CHECK ((group_id IS NULL) = (group_time IS NULL))
);
CREATE INDEX pending_persons_group ON pending_persons (organization_id, group_id) WHERE group_id IS NOT NULL;
CREATE INDEX pending_persons_received ON pending_persons (organization_id, received_at);
CREATE INDEX pending_persons_account ON pending_persons (organization_id, account_id) WHERE account_id IS NOT NULL;

-- The key of the hashes that replace the message ids of erased persons.
CREATE TABLE message_id_keys (
  organization_id bigint PRIMARY KEY REFERENCES organizations (id),
  key text COLLATE "C" NOT NULL,
  CONSTRAINT message_id_keys_key CHECK (key <> '')
);
