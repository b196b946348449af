ALTER TABLE organizations ADD COLUMN number_format text COLLATE "C";
ALTER TABLE organizations ADD CONSTRAINT organizations_number_format CHECK (length(number_format) BETWEEN 2 AND 35);
