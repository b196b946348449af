-- The endpoints that changes are sent to, and the changes that are sent to each.
CREATE TABLE webhooks (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  url TEXT NOT NULL,
  types TEXT,
  description TEXT,
  format TEXT NOT NULL CHECK (format = 'accountd' OR format = 'cloudevents' OR format = 'slack'),
  ordered TEXT NOT NULL CHECK (ordered = 'account' OR ordered = 'strict'),
  active INTEGER NOT NULL CHECK (active IN (0, 1)),
  secret TEXT NOT NULL,
  previous_secret TEXT,
  previous_secret_expires_at INTEGER,
  position INTEGER NOT NULL,
  disabled_reason TEXT,
  disabled_at INTEGER,
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX webhooks_created ON webhooks (organization_id, created_at, id);

CREATE TABLE webhook_deliveries (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  webhook_id INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  account_id INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status = 'pending' OR status = 'delivered' OR status = 'failed'),
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER,
  attempted_at INTEGER,
  response_status INTEGER,
  response_body TEXT,
  error TEXT,
  duration_milliseconds INTEGER,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (organization_id, webhook_id, sequence)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (organization_id, webhook_id, sequence, account_id)
  WHERE status = 'pending';
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (organization_id, webhook_id, sequence)
  WHERE status = 'failed';
CREATE INDEX webhook_deliveries_created ON webhook_deliveries (organization_id, created_at) WHERE status <> 'pending';
