-- What a key may do, and how often. Existing keys get the default scopes.
ALTER TABLE api_keys ADD COLUMN scopes TEXT NOT NULL DEFAULT 'read,write,events' CHECK (scopes <> '');
ALTER TABLE api_keys ADD COLUMN rate_limit INTEGER CHECK (rate_limit > 0);

CREATE INDEX api_keys_created ON api_keys (organization_id, created_at, id);
