-- The user id of a contact in the product, and when each member of a row was last set: a JSON object of timestamps,
-- written when the organization stores traits.
ALTER TABLE contacts ADD COLUMN user_id text COLLATE "C" CONSTRAINT contacts_user_id CHECK (user_id <> '');
CREATE UNIQUE INDEX contacts_user ON contacts (organization_id, user_id) WHERE user_id IS NOT NULL;
ALTER TABLE contacts ADD COLUMN member_times text COLLATE "C";
ALTER TABLE accounts ADD COLUMN member_times text COLLATE "C";

-- Traits of users without a contact and of groups without an account.
CREATE TABLE pending_traits (
  organization_id bigint NOT NULL REFERENCES organizations (id),
  type text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  group_id text COLLATE "C",
  group_time bigint,
  folded_email text COLLATE "C",
  members text COLLATE "C" NOT NULL,
  received_at bigint NOT NULL,
  is_due bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (organization_id, type, id),
  CONSTRAINT pending_traits_type CHECK (type IN ('group', 'user')),
  CONSTRAINT pending_traits_id CHECK (id <> ''),
  CONSTRAINT pending_traits_is_due CHECK (is_due IN (0, 1)),
  CONSTRAINT pending_traits_group_time CHECK ((group_id IS NULL) = (group_time IS NULL))
);
CREATE INDEX pending_traits_group ON pending_traits (organization_id, group_id);
CREATE INDEX pending_traits_received ON pending_traits (organization_id, received_at);
CREATE INDEX pending_traits_due ON pending_traits (organization_id, is_due, type, id) WHERE is_due = 1;

-- The key of the hashes that replace the message ids of erased persons.
ALTER TABLE organization_settings ADD COLUMN message_id_key text COLLATE "C"
  CONSTRAINT organization_settings_message_id_key CHECK (message_id_key <> '');
