-- The sessions of the console, and the links that begin one. A token is stored as its SHA-256.
CREATE TABLE sessions (
  organization_id bigint NOT NULL REFERENCES organizations (id),
  hash text COLLATE "C" NOT NULL,
  key_id bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (organization_id, hash),
  CONSTRAINT sessions_hash CHECK (length(hash) = 64),
  CONSTRAINT sessions_kind CHECK (kind IN ('session', 'link'))
);
CREATE INDEX sessions_expires ON sessions (organization_id, expires_at);
