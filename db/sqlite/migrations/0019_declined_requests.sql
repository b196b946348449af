-- A declined request is not resolved in the sums of an account. Every score is stale: the rule of the trend is another one, too.
DROP INDEX requests_resolved;
CREATE INDEX requests_resolved ON requests (organization_id, account_id, resolved_at, requested_at, severity, status)
  WHERE resolved_at IS NOT NULL;
UPDATE accounts SET resolved_count = resolved_count - declined.count, resolved_time = resolved_time - declined.time
FROM (
  SELECT r.organization_id, r.account_id, count(*) AS count, sum(max(0, r.resolved_at - r.requested_at)) AS time
  FROM requests AS r JOIN accounts AS a ON a.organization_id = r.organization_id AND a.id = r.account_id
  WHERE r.status = 'Declined' AND r.resolved_at > a.resolved_after
  GROUP BY r.organization_id, r.account_id
) AS declined
WHERE declined.organization_id = accounts.organization_id AND declined.account_id = accounts.id;
UPDATE accounts SET score_stale_at = 0 WHERE score_stale_at IS DISTINCT FROM 0;
