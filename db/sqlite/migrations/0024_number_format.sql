ALTER TABLE organizations ADD COLUMN number_format TEXT CHECK (length(number_format) BETWEEN 2 AND 35);
