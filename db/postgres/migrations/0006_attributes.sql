-- The members that callers add to accounts and contacts: a JSON object, sorted by name. attribute_values has each value
-- once more, for filters and orders, and attribute_names the one type that an organization has for each name.
ALTER TABLE accounts ADD COLUMN attributes text COLLATE "C" NOT NULL DEFAULT '{}';
ALTER TABLE contacts ADD COLUMN attributes text COLLATE "C" NOT NULL DEFAULT '{}';

CREATE TABLE attribute_values (
  organization_id bigint NOT NULL REFERENCES organizations (id),
  resource text COLLATE "C" NOT NULL,
  row_id bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  text text COLLATE "C",
  number double precision,
  PRIMARY KEY (organization_id, resource, row_id, name),
  CONSTRAINT attribute_values_value CHECK ((text IS NULL) <> (number IS NULL))
);
CREATE INDEX attribute_values_text ON attribute_values (organization_id, resource, name, text, row_id)
  WHERE text IS NOT NULL;
CREATE INDEX attribute_values_number ON attribute_values (organization_id, resource, name, number, row_id)
  WHERE number IS NOT NULL;

CREATE TABLE attribute_names (
  organization_id bigint NOT NULL REFERENCES organizations (id),
  resource text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (organization_id, resource, name),
  CONSTRAINT attribute_names_type CHECK (type IN ('string', 'number', 'boolean')),
  CONSTRAINT attribute_names_count CHECK (count >= 0)
);
