-- The version of each row, which every stored change increases. A constant default: no row is written.
ALTER TABLE accounts ADD COLUMN version bigint NOT NULL DEFAULT 1;
ALTER TABLE contacts ADD COLUMN version bigint NOT NULL DEFAULT 1;
ALTER TABLE meetings ADD COLUMN version bigint NOT NULL DEFAULT 1;
ALTER TABLE requests ADD COLUMN version bigint NOT NULL DEFAULT 1;
