-- The members that callers add to accounts and contacts: a JSON object, sorted by name. attribute_values has each value
-- once more, for filters and orders, and attribute_names the one type that an organization has for each name.
ALTER TABLE accounts ADD COLUMN attributes TEXT NOT NULL DEFAULT '{}';
ALTER TABLE contacts ADD COLUMN attributes TEXT NOT NULL DEFAULT '{}';

CREATE TABLE attribute_values (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  resource TEXT NOT NULL,
  row_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  text TEXT,
  number REAL,
  PRIMARY KEY (organization_id, resource, row_id, name),
  CHECK ((text IS NULL) <> (number IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX attribute_values_text ON attribute_values (organization_id, resource, name, text, row_id)
  WHERE text IS NOT NULL;
CREATE INDEX attribute_values_number ON attribute_values (organization_id, resource, name, number, row_id)
  WHERE number IS NOT NULL;

CREATE TABLE attribute_names (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  resource TEXT NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type = 'string' OR type = 'number' OR type = 'boolean'),
  count INTEGER NOT NULL CHECK (count >= 0),
  PRIMARY KEY (organization_id, resource, name)
) STRICT, WITHOUT ROWID;
