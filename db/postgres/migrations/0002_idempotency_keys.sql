-- The replies to writes with an Idempotency-Key.
CREATE TABLE idempotency_keys (
  organization_id bigint NOT NULL REFERENCES organizations (id),
  key text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  status bigint NOT NULL,
  headers text COLLATE "C" NOT NULL,
  body text COLLATE "C",
  created_at bigint NOT NULL,
  PRIMARY KEY (organization_id, key)
);
CREATE INDEX idempotency_keys_created ON idempotency_keys (organization_id, created_at);
