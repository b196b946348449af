-- The sessions of the console, and the links that begin one. A token is stored as its SHA-256.
CREATE TABLE sessions (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  hash TEXT NOT NULL CHECK (length(hash) = 64),
  key_id INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind = 'session' OR kind = 'link'),
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (organization_id, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_expires ON sessions (organization_id, expires_at);
