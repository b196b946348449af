-- What the operator sets for an organization. traits: whether those of Segment's calls are stored.
CREATE TABLE organization_settings (
  organization_id INTEGER PRIMARY KEY REFERENCES organizations (id),
  traits INTEGER NOT NULL CHECK (traits IN (0, 1))
) STRICT;
