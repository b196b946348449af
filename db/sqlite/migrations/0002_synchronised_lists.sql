-- Contacts, meetings and requests get the caller's own id, what their lists are searched and sorted by, and
-- when they changed. Ids go on from where they were. Letters beyond ASCII are folded when a row that stood before is next changed.
CREATE TABLE new_contacts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL,
  account_id INTEGER NOT NULL,
  external_id TEXT CHECK (external_id <> ''),
  name TEXT NOT NULL CHECK (name <> ''),
  folded_name TEXT NOT NULL,
  email TEXT CHECK (email <> ''),
  folded_email TEXT CHECK ((folded_email IS NULL) = (email IS NULL)),
  last_seen_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL CHECK (updated_at >= created_at),
  UNIQUE (organization_id, external_id),
  UNIQUE (organization_id, account_id, folded_email),
  FOREIGN KEY (organization_id, account_id) REFERENCES accounts (organization_id, id)
) STRICT;

INSERT INTO new_contacts
  SELECT id, organization_id, account_id, NULL, name, lower(name), email, lower(email), NULL, created_at, created_at
  FROM contacts;
DELETE FROM sqlite_sequence WHERE name = 'new_contacts';
INSERT INTO sqlite_sequence (name, seq) SELECT 'new_contacts', seq FROM sqlite_sequence WHERE name = 'contacts';
DROP TABLE contacts;
ALTER TABLE new_contacts RENAME TO contacts;

CREATE INDEX contacts_account ON contacts (organization_id, account_id, id, name, email);
CREATE INDEX contacts_email ON contacts (organization_id, folded_email, id) WHERE folded_email IS NOT NULL;

CREATE TABLE new_meetings (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL,
  account_id INTEGER NOT NULL,
  external_id TEXT CHECK (external_id <> ''),
  title TEXT NOT NULL,
  folded_title TEXT NOT NULL,
  start_at INTEGER NOT NULL,
  end_at INTEGER NOT NULL CHECK (end_at >= start_at),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL CHECK (updated_at >= created_at),
  UNIQUE (organization_id, external_id),
  FOREIGN KEY (organization_id, account_id) REFERENCES accounts (organization_id, id)
) STRICT;

INSERT INTO new_meetings
  SELECT id, organization_id, account_id, NULL, title, lower(title), start_at, end_at, created_at, created_at
  FROM meetings;
DELETE FROM sqlite_sequence WHERE name = 'new_meetings';
INSERT INTO sqlite_sequence (name, seq) SELECT 'new_meetings', seq FROM sqlite_sequence WHERE name = 'meetings';
DROP TABLE meetings;
ALTER TABLE new_meetings RENAME TO meetings;

CREATE INDEX meetings_account ON meetings (organization_id, account_id, start_at, id, title, end_at);

CREATE TABLE new_requests (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL,
  account_id INTEGER NOT NULL,
  external_id TEXT CHECK (external_id <> ''),
  title TEXT NOT NULL,
  folded_title TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('Open', 'Planned', 'Started', 'Done', 'Declined')),
  severity INTEGER NOT NULL CHECK (severity BETWEEN 1 AND 5),
  requested_at INTEGER NOT NULL,
  resolved_at INTEGER CHECK ((resolved_at IS NOT NULL) = (status IN ('Done', 'Declined'))),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL CHECK (updated_at >= created_at),
  UNIQUE (organization_id, external_id),
  FOREIGN KEY (organization_id, account_id) REFERENCES accounts (organization_id, id)
) STRICT;

INSERT INTO new_requests
  SELECT id, organization_id, account_id, NULL, title, lower(title), status, severity, requested_at,
    CASE WHEN status IN ('Done', 'Declined') THEN max(requested_at, created_at) END, created_at, created_at
  FROM requests;
DELETE FROM sqlite_sequence WHERE name = 'new_requests';
INSERT INTO sqlite_sequence (name, seq) SELECT 'new_requests', seq FROM sqlite_sequence WHERE name = 'requests';
DROP TABLE requests;
ALTER TABLE new_requests RENAME TO requests;

CREATE INDEX requests_account ON requests (organization_id, account_id, requested_at, id, title, status, severity);
-- The organization's whole list, in each of its orders; its search reads the titles' index alone.
CREATE INDEX requests_requested_at ON requests (organization_id, requested_at, id, status);
CREATE INDEX requests_severity ON requests (organization_id, severity, id, status);
CREATE INDEX requests_title ON requests (organization_id, folded_title, id, status);
CREATE INDEX requests_created_at ON requests (organization_id, created_at, id, status);
CREATE INDEX requests_updated_at ON requests (organization_id, updated_at, id, status);
