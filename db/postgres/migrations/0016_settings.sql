-- What an organization sets: its currency, how its scores are computed, and the types of attributes.
ALTER TABLE organizations ADD COLUMN currency text COLLATE "C";
ALTER TABLE organizations ADD CONSTRAINT organizations_currency CHECK (length(currency) = 3);

CREATE TABLE health_settings (
  organization_id bigint PRIMARY KEY REFERENCES organizations (id),
  settings text COLLATE "C",
  version bigint NOT NULL DEFAULT 0,
  has_meetings bigint NOT NULL DEFAULT 0,
  has_requests bigint NOT NULL DEFAULT 0,
  rescored_id bigint,
  new_coverage double precision NOT NULL DEFAULT 0,
  new_stale_at bigint,
  CONSTRAINT health_settings_has_meetings CHECK (has_meetings IN (0, 1)),
  CONSTRAINT health_settings_has_requests CHECK (has_requests IN (0, 1))
);
-- Every score is computed again: meetings are contact activity, and factors are known by organization.
INSERT INTO health_settings (organization_id, has_meetings, has_requests, rescored_id)
  SELECT id, EXISTS (SELECT 1 FROM meetings WHERE organization_id = o.id)::int,
    EXISTS (SELECT 1 FROM requests WHERE organization_id = o.id)::int, 0
  FROM organizations AS o;

ALTER TABLE accounts ADD COLUMN scored_at bigint;

CREATE TABLE attribute_types (
  organization_id bigint NOT NULL REFERENCES organizations (id),
  resource text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  label text COLLATE "C",
  description text COLLATE "C",
  is_pending bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (organization_id, resource, name),
  CONSTRAINT attribute_types_is_pending CHECK (is_pending IN (0, 1)),
  CONSTRAINT attribute_types_type CHECK (type IN ('string', 'number', 'boolean', 'date'))
);

ALTER TABLE usage_days
  ADD COLUMN imported_count bigint NOT NULL DEFAULT 0,
  ADD COLUMN imported_users bigint NOT NULL DEFAULT 0,
  ADD CONSTRAINT usage_days_imported_count CHECK (imported_count BETWEEN 0 AND count),
  ADD CONSTRAINT usage_days_imported_users CHECK (imported_users BETWEEN 0 AND users);
