-- What the operator sets for an organization. traits: whether those of Segment's calls are stored.
CREATE TABLE organization_settings (
  organization_id bigint PRIMARY KEY REFERENCES organizations (id),
  traits bigint NOT NULL,
  CONSTRAINT organization_settings_traits CHECK (traits IN (0, 1))
);
