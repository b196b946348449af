-- Fills the tables of plain.sql from a database of accountd's, attached as `source`. Ids stay what they are, so
-- that the same request is answered alike.
BEGIN;

INSERT INTO organizations SELECT id, name, created_at FROM source.organizations;

INSERT INTO api_keys
  SELECT id, organization_id, name, hash, created_at, expires_at, revoked_at FROM source.api_keys;

INSERT INTO accounts
  SELECT id, organization_id, name, folded_name, external_id, folded_external_id, mrr, status, logo_url,
    contact_activity_at, created_at, updated_at
  FROM source.accounts;

INSERT INTO contacts SELECT id, account_id, name, email FROM source.contacts;

INSERT INTO meetings SELECT id, account_id, title, start_at, end_at FROM source.meetings;

INSERT INTO requests SELECT id, account_id, title, status, severity, requested_at FROM source.requests;

INSERT INTO events
  SELECT id, organization_id, account_id, message_id, event, timestamp, user_id, properties, received_at
  FROM source.events
  WHERE account_id IS NOT NULL;

INSERT INTO usage_days
  SELECT organization_id, account_id, day, event, count, users FROM source.usage_days;

-- accountd keeps the first user of a day in the day's own row.
INSERT INTO usage_users
  SELECT account_id, day, event, user_id FROM source.usage_users
  UNION ALL
  SELECT account_id, day, event, first_user FROM source.usage_days WHERE first_user IS NOT NULL;

COMMIT;
