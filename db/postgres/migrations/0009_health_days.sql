-- The last score of an account on each UTC day (days since 1970) on which it changed.
CREATE TABLE health_days (
  organization_id bigint NOT NULL,
  account_id bigint NOT NULL,
  day bigint NOT NULL,
  score double precision,
  tier text COLLATE "C",
  PRIMARY KEY (organization_id, account_id, day),
  CONSTRAINT health_days_score CHECK (score BETWEEN 0 AND 100),
  CONSTRAINT health_days_tier CHECK (tier IN ('healthy', 'attention', 'at_risk', 'critical')),
  CONSTRAINT health_days_score_tier CHECK ((score IS NULL) = (tier IS NULL))
);

-- The number of accounts with scores of each band: 0 to 9.9, 10 to 19.9, … and 90 to 100.
CREATE TABLE score_counts (
  organization_id bigint NOT NULL,
  band bigint NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (organization_id, band),
  CONSTRAINT score_counts_band CHECK (band BETWEEN 0 AND 9)
);

-- Of the scores from before, only the last ones are known: on the day of their computation, or of a later change of the
-- account.
INSERT INTO health_days
  SELECT a.organization_id, a.id,
    (CASE WHEN p.refreshed_at > a.updated_at THEN p.refreshed_at ELSE a.updated_at END) / 86400000, a.score, a.tier
  FROM accounts AS a LEFT JOIN health_progress AS p ON p.organization_id = a.organization_id
  WHERE a.score IS NOT NULL;
INSERT INTO score_counts
  SELECT organization_id, CASE WHEN score >= 90 THEN 9 ELSE floor(score / 10) END, count(*)
  FROM accounts WHERE score IS NOT NULL GROUP BY 1, 2;
