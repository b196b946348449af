import { indexedBlockSize, MRR_SCALE, UNSCORED } from "./schema.ts";

/** What the engines write differently. */
export type ComparisonTerms = {
  /** The date of the column `day`, in days since 1970, as YYYY-MM-DD. */
  dateOfDay: string;
  /** The first UTC day, in days since 1970, whose users are complete, or a parameter with it. */
  firstCompleteDay: string;
  /**
   * The attributes of the rows of a table, from their JSON: a query with the columns organization, row_id, name, type,
   * text and number.
   */
  attributesIn: (table: string) => string;
};

/** The band of a score, as `score_counts` has it. The engines convert a quotient to an integer differently. */
const bandOfScore = `CASE ${[9, 8, 7, 6, 5, 4, 3, 2, 1].map((band) => `WHEN score >= ${10 * band} THEN ${band}`).join(" ")} ELSE 0 END`;
/** The largest relative difference of a sum of revenue that is not reported. */
const toleratedRelativeError = 1e-9;

function isPresent(organization: string): string {
  return `${organization} NOT IN (SELECT id FROM organizations WHERE deleted_at IS NOT NULL)`;
}

function hasNoDeletion(organization: string, account: string): string {
  return `(${organization}, ${account}) NOT IN (SELECT organization_id, account_id FROM account_deletions)`;
}

/**
 * Queries that compare stored counts and sums with the rows that they count, over all organizations. Each returns one
 * text per fault. Organizations and accounts whose deletion is in progress are left out.
 */
export function comparisons({ dateOfDay, firstCompleteDay, attributesIn }: ComparisonTerms): string[] {
  /** The account and day of a row; the name of the event is the caller's text, and is not repeated. */
  const dayName = `'organization ' || organization || ', account ' || account || ', ' || ${dateOfDay}`;
  const sumName = `'organization ' || organization || ', ' || ${dateOfDay}`;
  return [
    `WITH compared AS (
    SELECT organization_id AS organization, status, tier, count AS stored, 0 AS counted FROM account_counts
    UNION ALL
    SELECT organization_id, status, coalesce(tier, '${UNSCORED}'), 0, count(*) FROM accounts GROUP BY 1, 2, 3
  )
  SELECT 'organization ' || organization || ': account_counts has ' || sum(stored) || ' accounts of status '
    || status || ' and tier ' || tier || ', the table accounts ' || sum(counted)
  FROM compared WHERE ${isPresent("organization")}
  GROUP BY organization, status, tier HAVING sum(stored) <> sum(counted)`,

    // A job corrects a sum whose rounding error may be too large. PostgreSQL rejects a quotient that would underflow.
    `WITH compared AS (
    SELECT organization_id AS organization, tier, scaled_mrr AS stored, mrr_error AS error, 0 AS counted
    FROM account_counts
    UNION ALL
    SELECT organization_id, coalesce(tier, '${UNSCORED}'), 0, 0, sum(CASE WHEN abs(mrr) > 1e-290 THEN mrr / ${MRR_SCALE}.0 ELSE 0 END)
    FROM accounts GROUP BY 1, 2
  )
  SELECT 'organization ' || organization || ': account_counts has the revenue '
    || (sum(stored) * ${MRR_SCALE}) || ' of tier ' || tier
    || ', the table accounts ' || (sum(counted) * ${MRR_SCALE})
  FROM compared WHERE ${isPresent("organization")}
  GROUP BY organization, tier
  HAVING abs(sum(stored) - sum(counted)) > ${toleratedRelativeError} * abs(sum(counted)) + sum(error)`,

    `WITH compared AS (
    SELECT organization_id AS organization, band, count AS stored, 0 AS counted FROM score_counts
    UNION ALL
    SELECT organization_id, ${bandOfScore}, 0, 1 FROM accounts WHERE score IS NOT NULL
  )
  SELECT 'organization ' || organization || ': score_counts has ' || sum(stored) || ' accounts of band ' || band
    || ', the table accounts ' || sum(counted)
  FROM compared WHERE ${isPresent("organization")}
  GROUP BY organization, band HAVING sum(stored) <> sum(counted)`,

    `WITH compared AS (
    SELECT a.organization_id AS organization, a.id AS account, open_severity, resolved_count, resolved_time,
      coalesce(sum(severity) FILTER (WHERE resolved_at IS NULL), 0) AS severity,
      count(*) FILTER (WHERE r.status = 'Done' AND resolved_at > resolved_after) AS count,
      coalesce(sum(resolved_at - requested_at)
        FILTER (WHERE r.status = 'Done' AND resolved_at > resolved_after AND resolved_at > requested_at), 0) AS time
    FROM accounts AS a LEFT JOIN requests AS r ON (r.organization_id, r.account_id) = (a.organization_id, a.id)
    GROUP BY a.id
  )
  SELECT 'organization ' || organization || ', account ' || account || ': accounts has open_severity '
    || open_severity || ', resolved_count ' || resolved_count || ', resolved_time ' || resolved_time
    || '; requests have ' || severity || ', ' || count || ', ' || time
  FROM compared WHERE ${isPresent("organization")}
    AND (open_severity, resolved_count, resolved_time) <> (severity, count, time)`,

    `WITH compared AS (
    SELECT organization_id AS organization, external_id, count AS stored, 0 AS counted FROM unmatched_ids
    UNION ALL
    SELECT organization_id, external_id, count, 0 FROM attachments
    UNION ALL
    SELECT organization_id, external_id, 0, count(*) FROM events WHERE external_id IS NOT NULL
    GROUP BY organization_id, external_id
  )
  SELECT 'organization ' || organization || ': unmatched_ids and attachments have ' || sum(stored)
    || ' pending events of an external id, the table events ' || sum(counted)
  FROM compared WHERE ${isPresent("organization")}
  GROUP BY organization, external_id HAVING sum(stored) <> sum(counted)`,

    // The events of a day may have been deleted, its total stays.
    `WITH compared AS (
    SELECT organization_id AS organization, account_id AS account, day, event, count AS stored, 0 AS counted
    FROM usage_days
    UNION ALL
    SELECT organization_id, account_id, timestamp / 86400000, event, 0, count(*) FROM events
    WHERE account_id IS NOT NULL GROUP BY organization_id, account_id, timestamp / 86400000, event
  )
  SELECT ${dayName} || ': usage_days has ' || sum(stored) || ' events, the table events ' || sum(counted)
  FROM compared WHERE ${isPresent("organization")} AND ${hasNoDeletion("organization", "account")}
  GROUP BY organization, account, day, event
  HAVING sum(stored) < sum(counted) OR (sum(stored) > sum(counted) AND day >= ${firstCompleteDay} AND NOT EXISTS (
    SELECT 1 FROM expiring_days AS e WHERE (e.organization_id, e.day, e.account_id, e.event)
      = (compared.organization, compared.day, compared.account, compared.event)))`,

    `WITH compared AS (
    SELECT organization_id AS organization, account_id AS account, day, event, users AS stored,
      CASE WHEN first_user IS NULL THEN 0 ELSE 1 END AS counted
    FROM usage_days
    UNION ALL
    SELECT organization_id, account_id, day, event, 0, count(*) FROM usage_users
    GROUP BY organization_id, account_id, day, event
  )
  SELECT ${dayName} || ': usage_days has ' || sum(stored) || ' users, the table usage_users ' || sum(counted)
  FROM compared WHERE ${isPresent("organization")} AND ${hasNoDeletion("organization", "account")}
  GROUP BY organization, account, day, event
  HAVING sum(stored) < sum(counted) OR (sum(stored) > sum(counted) AND day >= ${firstCompleteDay})`,

    `WITH compared AS (
    SELECT t.organization_id AS organization, t.account_id AS account, t.day, t.count AS stored,
      t.last_at AS stored_last, coalesce(sum(d.count), 0) AS counted, max(d.last_at) AS last
    FROM usage_totals AS t LEFT JOIN usage_days AS d
      ON (d.organization_id, d.account_id, d.day) = (t.organization_id, t.account_id, t.day)
    GROUP BY 1, 2, 3
  )
  SELECT ${dayName} || ': usage_totals has count ' || stored || ', last_at ' || stored_last
    || '; usage_days have ' || counted || ', ' || coalesce(cast(last AS text), 'null')
  FROM compared WHERE ${isPresent("organization")} AND ${hasNoDeletion("organization", "account")}
    AND (stored <> counted OR stored_last IS DISTINCT FROM last)`,

    // The sums of all accounts change in the transaction that changes the day of an account.
    `WITH compared AS (
    SELECT organization_id AS organization, day, event, count AS stored, account_count AS stored_accounts,
      0 AS counted, 0 AS accounts
    FROM usage_sums
    UNION ALL
    SELECT organization_id, day, event, 0, 0, count, 1 FROM usage_days
  )
  SELECT ${sumName} || ': usage_sums has ' || sum(stored) || ' events of ' || sum(stored_accounts)
    || ' accounts, the table usage_days ' || sum(counted) || ' of ' || sum(accounts)
  FROM compared WHERE ${isPresent("organization")}
  GROUP BY organization, day, event
  HAVING sum(stored) <> sum(counted) OR sum(stored_accounts) <> sum(accounts)`,

    `WITH compared AS (
    SELECT organization_id AS organization, day, event, users AS stored, 0 AS counted FROM usage_sums
    UNION ALL
    SELECT organization_id, day, event, 0, count(*) FROM usage_sum_users GROUP BY organization_id, day, event
  )
  SELECT ${sumName} || ': usage_sums has ' || sum(stored) || ' users, the table usage_sum_users ' || sum(counted)
  FROM compared WHERE ${isPresent("organization")} AND day >= ${firstCompleteDay}
  GROUP BY organization, day, event HAVING sum(stored) <> sum(counted)`,

    `WITH compared AS (
    SELECT organization_id AS organization, day, event, user_id, account_count AS stored, 0 AS counted
    FROM usage_sum_users
    UNION ALL
    SELECT organization_id, day, event, user_id, 0, 1 FROM usage_users
    UNION ALL
    SELECT organization_id, day, event, first_user, 0, 1 FROM usage_days WHERE first_user IS NOT NULL
  )
  SELECT ${sumName} || ': usage_sum_users has ' || sum(stored)
    || ' accounts of a user, usage_days and usage_users have ' || sum(counted)
  FROM compared WHERE ${isPresent("organization")} AND day >= ${firstCompleteDay}
  GROUP BY organization, day, event, user_id HAVING sum(stored) <> sum(counted)`,

    // These tables have no foreign key to accounts.
    ...["events", "usage_days", "usage_users", "usage_totals", "health_days"].map(
      (table) => `SELECT 'organization ' || organization_id || ': ' || count(*)
      || ' rows of ${table} belong to account ' || account_id || ', which does not exist'
    FROM ${table} AS t
    WHERE account_id IS NOT NULL AND ${isPresent("organization_id")} AND ${hasNoDeletion("organization_id", "account_id")}
      AND NOT EXISTS (SELECT 1 FROM accounts AS a WHERE (a.organization_id, a.id) = (t.organization_id, t.account_id))
    GROUP BY organization_id, account_id`,
    ),

    ...["account", "contact"].map(
      (resource) => `WITH compared AS (
    SELECT organization_id AS organization, row_id, name, text, number, 1 AS stored
    FROM attribute_values WHERE resource = '${resource}'
    UNION ALL
    SELECT organization, row_id, name, text, number, 0 FROM (${attributesIn(`${resource}s`)}) AS members
  ), differing AS (
    SELECT organization, row_id FROM compared GROUP BY organization, row_id, name
    HAVING count(*) <> 2 OR coalesce(min(text), '') <> coalesce(max(text), '')
      OR (min(number) IS NULL) <> (min(text) IS NOT NULL)
      OR max(number) - min(number) > ${toleratedRelativeError} * abs(max(number))
  )
  SELECT 'organization ' || organization || ', ${resource} ' || row_id || ': attribute_values differs from the row in '
    || count(*) || ' attributes'
  FROM differing WHERE ${isPresent("organization")} GROUP BY organization, row_id`,
    ),

    ...["account", "contact"].map(
      (resource) => `WITH compared AS (
    SELECT organization_id AS organization, name, type, count AS stored, 0 AS counted
    FROM attribute_names WHERE resource = '${resource}'
    UNION ALL
    SELECT organization, name, type, 0, count(*) FROM (${attributesIn(`${resource}s`)}) AS members GROUP BY 1, 2, 3
  )
  SELECT 'organization ' || organization || ': attribute_names has ' || sum(stored) || ' ${resource}s with a '
    || type || ' of the name ' || name || ', the table ${resource}s ' || sum(counted)
  FROM compared WHERE ${isPresent("organization")}
  GROUP BY organization, name, type HAVING sum(stored) <> sum(counted)`,
    ),

    `WITH ends AS (
    SELECT organization_id, max(sequence) - max(sequence) % ${indexedBlockSize} AS indexed_up_to FROM changes GROUP BY 1
  ), compared AS (
    SELECT organization_id AS organization, account_id AS account, sequence, 1 AS stored, 0 AS counted
    FROM account_changes
    UNION ALL
    SELECT organization_id, account_id, sequence, 0, 1 FROM changes JOIN ends USING (organization_id)
    WHERE sequence <= indexed_up_to
  )
  SELECT 'organization ' || organization || ', account ' || account || ': account_changes (' || sum(stored)
    || ' rows) does not match changes (' || sum(counted) || ' rows)'
  FROM compared WHERE ${isPresent("organization")}
  GROUP BY organization, account
  HAVING sum(stored) <> sum(counted) OR sum(stored * sequence) <> sum(counted * sequence)`,

    `SELECT 'organization ' || organization_id || ': ' || (max(sequence) - min(sequence) + 1 - count(*))
    || ' changes are missing between the sequence numbers ' || min(sequence) || ' and ' || max(sequence)
  FROM changes WHERE ${isPresent("organization_id")}
  GROUP BY organization_id HAVING max(sequence) - min(sequence) + 1 <> count(*)`,
  ];
}
