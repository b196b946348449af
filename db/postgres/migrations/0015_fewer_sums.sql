-- Revenue, the distribution of scores, and what a score needs of requests and days are summed when they are read.
DROP TABLE usage_totals;
DROP TABLE score_counts;
DROP INDEX accounts_rank;
CREATE INDEX accounts_rank ON accounts (organization_id, rank, id, tier, mrr);
DROP INDEX requests_resolved;
ALTER TABLE account_counts DROP COLUMN scaled_mrr;
ALTER TABLE account_counts DROP COLUMN mrr_error;
ALTER TABLE accounts DROP COLUMN open_severity;
ALTER TABLE accounts DROP COLUMN resolved_count;
ALTER TABLE accounts DROP COLUMN resolved_time;
ALTER TABLE accounts DROP COLUMN resolved_after;
