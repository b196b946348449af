-- An account's score moves into its row: a new account writes one row and four index entries less, and its name and
-- revenue are stored once.
ALTER TABLE accounts ADD COLUMN score REAL CHECK (score BETWEEN 0 AND 100);
ALTER TABLE accounts ADD COLUMN tier TEXT
  CHECK (tier IN ('healthy', 'attention', 'at_risk', 'critical'))
  CHECK ((score IS NULL) = (tier IS NULL));
ALTER TABLE accounts ADD COLUMN coverage REAL NOT NULL DEFAULT 0 CHECK (coverage BETWEEN 0 AND 1);
ALTER TABLE accounts ADD COLUMN rank REAL NOT NULL DEFAULT 101;
ALTER TABLE accounts ADD COLUMN score_stale_at INTEGER;

UPDATE accounts SET
  score = health.score,
  tier = health.tier,
  coverage = health.coverage,
  rank = health.rank,
  score_stale_at = CASE WHEN health.changes_at < 9007199254740991 THEN health.changes_at END
FROM account_health AS health
WHERE health.organization_id = accounts.organization_id AND health.account_id = accounts.id;

DROP TABLE account_health;

CREATE INDEX accounts_rank ON accounts (organization_id, rank, id, tier, mrr);
CREATE INDEX accounts_score_stale ON accounts (organization_id, score_stale_at) WHERE score_stale_at IS NOT NULL;
CREATE INDEX accounts_tier_mrr ON accounts (organization_id, tier, mrr, id) WHERE tier IS NOT NULL;
CREATE INDEX accounts_tier_name ON accounts (organization_id, tier, folded_name, id) WHERE tier IS NOT NULL;
