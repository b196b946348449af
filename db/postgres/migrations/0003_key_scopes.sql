-- What a key may do, and how often. Existing keys, and keys that an older copy creates, get the default scopes.
ALTER TABLE api_keys
  ADD COLUMN scopes text COLLATE "C" NOT NULL DEFAULT 'read,write,events',
  ADD COLUMN rate_limit bigint,
  ADD CONSTRAINT api_keys_scopes CHECK (scopes <> ''),
  ADD CONSTRAINT api_keys_rate_limit CHECK (rate_limit > 0);

CREATE INDEX api_keys_created ON api_keys (organization_id, created_at, id);
