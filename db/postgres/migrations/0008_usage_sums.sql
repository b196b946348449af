-- The usage of all accounts by day and event, and its users, each with the number of its accounts.
CREATE TABLE usage_sums (
  organization_id bigint NOT NULL,
  day bigint NOT NULL,
  event text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  users bigint NOT NULL,
  account_count bigint NOT NULL,
  PRIMARY KEY (organization_id, day, event),
  CONSTRAINT usage_sums_event CHECK (event <> ''),
  CONSTRAINT usage_sums_count CHECK (count > 0),
  CONSTRAINT usage_sums_users CHECK (users BETWEEN 0 AND count),
  CONSTRAINT usage_sums_account_count CHECK (account_count BETWEEN 0 AND count)
);

CREATE TABLE usage_sum_users (
  organization_id bigint NOT NULL,
  day bigint NOT NULL,
  event text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  account_count bigint NOT NULL,
  PRIMARY KEY (organization_id, day, event, user_id),
  CONSTRAINT usage_sum_users_user_id CHECK (user_id <> ''),
  CONSTRAINT usage_sum_users_account_count CHECK (account_count > 0)
);

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
