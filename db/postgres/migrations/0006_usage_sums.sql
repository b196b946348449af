-- The usage of all accounts by day and event, and its users, each with the number of its accounts.
CREATE TABLE usage_sums (
  organization_id bigint NOT NULL,
  day bigint NOT NULL,
  event text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  users bigint NOT NULL,
  accounts bigint NOT NULL,
  PRIMARY KEY (organization_id, day, event),
  CONSTRAINT usage_sums_event CHECK (event <> ''),
  CONSTRAINT usage_sums_count CHECK (count > 0),
  CONSTRAINT usage_sums_users CHECK (users BETWEEN 0 AND count),
  CONSTRAINT usage_sums_accounts CHECK (accounts BETWEEN 1 AND count)
);

CREATE TABLE usage_sum_users (
  organization_id bigint NOT NULL,
  day bigint NOT NULL,
  event text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  accounts bigint NOT NULL,
  PRIMARY KEY (organization_id, day, event, user_id),
  CONSTRAINT usage_sum_users_user_id CHECK (user_id <> ''),
  CONSTRAINT usage_sum_users_accounts CHECK (accounts > 0)
);

-- Users whose days have no users any more count once for each account.
INSERT INTO usage_sum_users
  SELECT organization_id, day, event, user_id, count(*) FROM (
    SELECT organization_id, day, event, user_id FROM usage_users
    UNION ALL
    SELECT organization_id, day, event, first_user FROM usage_days WHERE first_user IS NOT NULL
  ) AS day_users GROUP BY organization_id, day, event, user_id;
INSERT INTO usage_sums
  SELECT organization_id, day, event, sum(count), sum(users), sum(accounts) FROM (
    SELECT organization_id, day, event, count, CASE WHEN first_user IS NULL THEN users ELSE 0 END AS users,
      1 AS accounts
    FROM usage_days
    UNION ALL
    SELECT organization_id, day, event, 0, 1, 0 FROM usage_sum_users
  ) AS parts GROUP BY organization_id, day, event;
