-- An index for each order of an organization's list, one for its filter by status, one for each list that an
-- account embeds, and those that are rules.
CREATE UNIQUE INDEX accounts_external_id ON accounts (organization_id, external_id);
CREATE INDEX accounts_name ON accounts (organization_id, folded_name, id);
CREATE INDEX accounts_mrr ON accounts (organization_id, mrr, id);
CREATE INDEX accounts_created_at ON accounts (organization_id, created_at, id);
CREATE INDEX accounts_updated_at ON accounts (organization_id, updated_at, id);
CREATE INDEX accounts_status ON accounts (organization_id, status);

CREATE INDEX contacts_account ON contacts (account_id);
CREATE INDEX meetings_account ON meetings (account_id, start_at);
CREATE INDEX requests_account ON requests (account_id, requested_at);

CREATE UNIQUE INDEX events_message ON events (organization_id, message_id);
CREATE INDEX events_account ON events (account_id);
