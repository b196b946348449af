-- The replies to writes with an Idempotency-Key.
CREATE TABLE idempotency_keys (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  status INTEGER NOT NULL,
  headers TEXT NOT NULL,
  body TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (organization_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_created ON idempotency_keys (organization_id, created_at);
