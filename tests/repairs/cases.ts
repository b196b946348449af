const sums = "organization 1, 2026-01-02: usage_sums has";
const sumUsers = "organization 1, 2026-01-02: usage_sum_users has";
const ofDay = "organization 1, account 1, 2026-01-02: usage_days has";
const names = "organization 1: attribute_names has";
const wrongScore = "organization 1, account 1: the stored score is not the score of its facts";
const wrongScoreOfSecond = wrongScore.replace("account 1", "account 2");
const wrongCopy = (row: string, column: string) =>
  `organization 1, ${row}: the folded copy of ${column} is wrong`;

/**
 * A statement that makes derived values wrong, what `accountd check` finds then, and what `--repair` repairs, unless it is
 * the same: the repair of a count repairs the sums that were compared with it.
 */
export const repairs: [sql: string, found: string[], repaired?: string[]][] = [
  [
    "UPDATE account_counts SET count = 7 WHERE status = 'churned'",
    ["organization 1: account_counts has 7 accounts of status churned and tier none, the table accounts 1"],
  ],
  [
    "DELETE FROM account_counts WHERE status = 'active'",
    ["organization 1: account_counts has 0 accounts of status active and tier healthy, the table accounts 1"],
  ],
  [
    "INSERT INTO account_counts VALUES (1, 'inactive', 'healthy', 4)",
    [
      "organization 1: account_counts has 4 accounts of status inactive and tier healthy, the table accounts 0",
    ],
  ],
  [
    "UPDATE unmatched_ids SET count = 9",
    [
      "organization 1: unmatched_ids and attachments have 9 pending events of an external id, the table events 2",
    ],
  ],
  [
    "DELETE FROM unmatched_ids",
    [
      "organization 1: unmatched_ids and attachments have 0 pending events of an external id, the table events 2",
    ],
  ],
  [
    "INSERT INTO unmatched_ids (organization_id, external_id, count, first_at, last_at) VALUES (1, 'other', 5, 0, 0)",
    [
      "organization 1: unmatched_ids and attachments have 5 pending events of an external id, the table events 0",
    ],
  ],
  [
    "UPDATE usage_days SET count = 4",
    [`${sums} 3 events, the table usage_days 4`, `${ofDay} 4 events, the table events 3`],
    [`${ofDay} 4 events, the table events 3`],
  ],
  [
    "UPDATE usage_days SET count = 2",
    [`${sums} 3 events, the table usage_days 2`, `${ofDay} 2 events, the table events 3`],
    [`${ofDay} 2 events, the table events 3`],
  ],
  [
    "DELETE FROM usage_days",
    [
      `${sumUsers} 1 accounts of a user, usage_days and usage_users have 0`,
      `${sums} 1 accounts, the table usage_days 0`,
      `${sums} 3 events, the table usage_days 0`,
      `${ofDay} 0 events, the table events 3`,
      `${ofDay} 0 further users, the table usage_users 1`,
      wrongScore,
    ],
    [`${ofDay} 0 events, the table events 3`, `${ofDay} 0 further users, the table usage_users 1`],
  ],
  ["UPDATE usage_days SET users = 3", [`${ofDay} 2 further users, the table usage_users 1`]],
  [
    "UPDATE usage_sum_users SET account_count = 2 WHERE user_id = 'u1'",
    [`${sumUsers} 2 accounts of a user, usage_days and usage_users have 1`],
  ],
  [
    "DELETE FROM usage_sum_users",
    [
      `${sumUsers} 0 accounts of a user, usage_days and usage_users have 1`,
      `${sumUsers} 0 accounts of a user, usage_days and usage_users have 1`,
      `${sums} 2 users, the table usage_sum_users 0`,
    ],
    [
      `${sumUsers} 0 accounts of a user, usage_days and usage_users have 1`,
      `${sumUsers} 0 accounts of a user, usage_days and usage_users have 1`,
    ],
  ],
  [
    "INSERT INTO usage_sum_users VALUES (1, 20455, 'login', 'u9', 1)",
    [
      `${sumUsers} 1 accounts of a user, usage_days and usage_users have 0`,
      `${sums} 2 users, the table usage_sum_users 3`,
    ],
    [`${sumUsers} 1 accounts of a user, usage_days and usage_users have 0`],
  ],
  ["UPDATE usage_sums SET count = 9", [`${sums} 9 events, the table usage_days 3`]],
  ["UPDATE usage_sums SET account_count = 2", [`${sums} 2 accounts, the table usage_days 1`]],
  ["UPDATE usage_sums SET users = 3", [`${sums} 3 users, the table usage_sum_users 2`]],
  [
    "DELETE FROM usage_sums",
    [
      `${sums} 0 accounts, the table usage_days 1`,
      `${sums} 0 events, the table usage_days 3`,
      `${sums} 0 users, the table usage_sum_users 2`,
    ],
  ],
  [
    "INSERT INTO usage_sums VALUES (1, 20455, 'other', 5, 1, 1)",
    [
      `${sums} 1 accounts, the table usage_days 0`,
      `${sums} 1 users, the table usage_sum_users 0`,
      `${sums} 5 events, the table usage_days 0`,
    ],
    [`${sums} 5 events, the table usage_days 0`],
  ],
  [
    "INSERT INTO usage_days VALUES (1, 2, 20455, 'other', 5, 1, 'u7', 0, 0, 0, 0)",
    [
      `${sumUsers} 0 accounts of a user, usage_days and usage_users have 1`,
      `${sums} 0 accounts, the table usage_days 1`,
      `${sums} 0 events, the table usage_days 5`,
      "organization 1, account 2, 2026-01-02: usage_days has 5 events, the table events 0",
      wrongScoreOfSecond,
    ],
    ["organization 1, account 2, 2026-01-02: usage_days has 5 events, the table events 0"],
  ],
  [
    "INSERT INTO usage_users VALUES (1, 2, 20455, 'other', 'u7')",
    [
      `${sumUsers} 0 accounts of a user, usage_days and usage_users have 1`,
      "organization 1, account 2, 2026-01-02: usage_days has 0 further users, the table usage_users 1",
    ],
    ["organization 1, account 2, 2026-01-02: usage_days has 0 further users, the table usage_users 1"],
  ],
  [
    "INSERT INTO account_changes VALUES (1, 1, 1)",
    ["organization 1, account 1: account_changes has 1 rows of the change 1, the table changes 0"],
  ],
  [
    "UPDATE attribute_names SET count = 5 WHERE name = 'plan'",
    [`${names} 5 accounts with a string of the name plan, the table accounts 2`],
  ],
  [
    "DELETE FROM attribute_names",
    [
      `${names} 0 accounts with a number of the name seats, the table accounts 1`,
      `${names} 0 accounts with a string of the name plan, the table accounts 2`,
      `${names} 0 contacts with a number of the name share, the table contacts 1`,
    ],
  ],
  [
    "UPDATE attribute_names SET type = 'boolean' WHERE name = 'seats'",
    [
      `${names} 0 accounts with a number of the name seats, the table accounts 1`,
      `${names} 1 accounts with a boolean of the name seats, the table accounts 0`,
    ],
  ],
  [
    "INSERT INTO attribute_names VALUES (1, 'account', 'gone', 'string', 1)",
    [`${names} 1 accounts with a string of the name gone, the table accounts 0`],
  ],
  [
    "UPDATE attribute_values SET text = 'free' WHERE name = 'plan' AND row_id = 1",
    ["organization 1, account 1: attribute_values differs from the row in 1 attributes"],
  ],
  [
    "DELETE FROM attribute_values",
    [
      "organization 1, account 1: attribute_values differs from the row in 2 attributes",
      "organization 1, account 2: attribute_values differs from the row in 1 attributes",
      "organization 1, contact 1: attribute_values differs from the row in 1 attributes",
    ],
  ],
  [
    "INSERT INTO attribute_values VALUES (1, 'contact', 99, 'share', NULL, 1)",
    ["organization 1, contact 99: attribute_values differs from the row in 1 attributes"],
  ],
  [
    "UPDATE accounts SET folded_name = 'x', folded_external_id = 'y' WHERE id = 1",
    [wrongCopy("account 1", "name and externalId")],
  ],
  ["UPDATE accounts SET folded_external_id = 'y' WHERE id = 2", [wrongCopy("account 2", "externalId")]],
  ["UPDATE contacts SET folded_name = 'x', folded_email = 'y'", [wrongCopy("contact 1", "name and email")]],
  ["UPDATE meetings SET folded_title = 'Öffnung'", [wrongCopy("meeting 1", "title")]],
  ["UPDATE requests SET folded_title = 'SSO'", [wrongCopy("request 1", "title")]],
  [
    "UPDATE accounts SET score = 1, tier = 'critical', rank = 1 WHERE id = 1",
    [
      wrongScore,
      "organization 1: account_counts has 0 accounts of status active and tier critical, the table accounts 1",
      "organization 1: account_counts has 1 accounts of status active and tier healthy, the table accounts 0",
    ],
  ],
  ["UPDATE accounts SET rank = 3 WHERE id = 1", [wrongScore]],
  ["UPDATE accounts SET coverage = 0.1 WHERE id = 1", [wrongScore]],
  ["UPDATE accounts SET activity_at = 5 WHERE id = 1", [wrongScore]],
  ["UPDATE accounts SET score_stale_at = NULL WHERE id = 1", [wrongScore]],
];
