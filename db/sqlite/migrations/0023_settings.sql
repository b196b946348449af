-- What an organization sets: its currency, how its scores are computed, and the types of attributes.
ALTER TABLE organizations ADD COLUMN currency TEXT CHECK (length(currency) = 3);

CREATE TABLE health_settings (
  organization_id INTEGER PRIMARY KEY REFERENCES organizations (id),
  settings TEXT,
  version INTEGER NOT NULL DEFAULT 0,
  has_meetings INTEGER NOT NULL DEFAULT 0 CHECK (has_meetings IN (0, 1)),
  has_requests INTEGER NOT NULL DEFAULT 0 CHECK (has_requests IN (0, 1)),
  rescored_id INTEGER,
  new_coverage REAL NOT NULL DEFAULT 0,
  new_stale_at INTEGER
) STRICT;
-- Every score is computed again: meetings are contact activity, and factors are known by organization.
INSERT INTO health_settings (organization_id, has_meetings, has_requests, rescored_id)
  SELECT id, EXISTS (SELECT 1 FROM meetings WHERE organization_id = o.id),
    EXISTS (SELECT 1 FROM requests WHERE organization_id = o.id), 0
  FROM organizations AS o;

ALTER TABLE accounts ADD COLUMN scored_at INTEGER;

CREATE TABLE attribute_types (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  resource TEXT NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type = 'string' OR type = 'number' OR type = 'boolean' OR type = 'date'),
  label TEXT,
  description TEXT,
  is_pending INTEGER NOT NULL DEFAULT 0 CHECK (is_pending IN (0, 1)),
  PRIMARY KEY (organization_id, resource, name)
) STRICT, WITHOUT ROWID;

ALTER TABLE usage_days ADD COLUMN imported_count INTEGER NOT NULL DEFAULT 0 CHECK (imported_count BETWEEN 0 AND count);
ALTER TABLE usage_days ADD COLUMN imported_users INTEGER NOT NULL DEFAULT 0 CHECK (imported_users BETWEEN 0 AND users);
