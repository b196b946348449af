-- The usage of all accounts by day and event, and its users, each with the number of its accounts.
CREATE TABLE usage_sums (
  organization_id INTEGER NOT NULL,
  day INTEGER NOT NULL,
  event TEXT NOT NULL CHECK (event <> ''),
  count INTEGER NOT NULL CHECK (count > 0),
  users INTEGER NOT NULL CHECK (users BETWEEN 0 AND count),
  account_count INTEGER NOT NULL CHECK (account_count BETWEEN 0 AND count),
  PRIMARY KEY (organization_id, day, event)
) STRICT, WITHOUT ROWID;

CREATE TABLE usage_sum_users (
  organization_id INTEGER NOT NULL,
  day INTEGER NOT NULL,
  event TEXT NOT NULL,
  user_id TEXT NOT NULL CHECK (user_id <> ''),
  account_count INTEGER NOT NULL CHECK (account_count > 0),
  PRIMARY KEY (organization_id, day, event, user_id)
) STRICT, WITHOUT ROWID;

-- On days whose rows of users were deleted, a user of several accounts counts once for each of them.
INSERT INTO usage_sum_users
  SELECT organization_id, day, event, user_id, count(*) FROM (
    SELECT organization_id, day, event, user_id FROM usage_users
    UNION ALL
    SELECT organization_id, day, event, first_user FROM usage_days WHERE first_user IS NOT NULL
  ) AS day_users GROUP BY organization_id, day, event, user_id;
INSERT INTO usage_sums
  SELECT organization_id, day, event, sum(count), sum(users), sum(account_count) FROM (
    SELECT organization_id, day, event, count, CASE WHEN first_user IS NULL THEN users ELSE 0 END AS users,
      1 AS account_count
    FROM usage_days
    UNION ALL
    SELECT organization_id, day, event, 0, 1, 0 FROM usage_sum_users
  ) AS parts GROUP BY organization_id, day, event;
