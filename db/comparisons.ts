import type { DerivedKind } from "./derived-faults.ts";
import { indexedBlockSize, UNSCORED } from "./schema.ts";

/** What the engines write differently. */
type ComparisonTerms = {
  /** The date of the column `day`, in days since 1970, as YYYY-MM-DD. */
  dateOfDay: string;
  /** The first UTC day, in days since 1970, whose users are complete, or a parameter with it. */
  firstCompleteDay: string;
  /** The attributes of a table's rows, from their JSON: organization_id, row_id, name, type, text and number. */
  attributesIn: (table: string) => string;
  /** The text of a JSON array of the columns of a list. */
  jsonArray: (columns: string) => string;
};

/** The query of a comparison. Without a kind, its rows have the text only. */
type ComparisonQuery = { kind: DerivedKind | undefined; query: string };

/** The most faults of each kind that `accountd check` reports. */
export const maxFaults = 100;
/** The largest relative difference of two numbers that is not reported. */
const toleratedRelativeError = 1e-9;

/** Leaves out organizations and accounts whose deletion is in progress. */
const isPresent = "organization_id NOT IN (SELECT id FROM organizations WHERE deleted_at IS NOT NULL)";
const isAccountPresent = `${isPresent} AND (organization_id, account_id) NOT IN (SELECT organization_id, account_id FROM account_deletions)`;

const resources = ["account", "contact"] as const;

/** Rows with a key, and a number. Default key: the key of the comparison. */
type Numbers = { of: string; number: string; key?: string; where?: string };
/** The kind, the key, what it is in a text, the stored and the counted numbers, what is counted, and whether `a` and `b` differ. */
type Comparison = [
  kind: DerivedKind,
  key: string,
  name: string,
  stored: Numbers[],
  counted: Numbers[],
  unit: string,
  differs?: string,
];

/** Compares the sums of the stored and of the counted numbers of each key: `a` and `b`. */
function compare(
  [kind, key, name, stored, counted, unit, differs = "a <> b"]: Comparison,
  jsonArray: ComparisonTerms["jsonArray"],
): ComparisonQuery {
  const sumsOf = (sums: string) => (from: Numbers) =>
    `SELECT organization_id, ${from.key ?? key}, ${sums.replace("?", `sum(${from.number})`)} FROM ${from.of} AS t
      WHERE ${from.where ?? "1 = 1"} GROUP BY organization_id, ${from.key ?? key}`;
  const rows = [...stored.map(sumsOf("?, 0")), ...counted.map(sumsOf("0, ?"))].join(" UNION ALL ");
  const tables = `${stored.map(({ of }) => of).join(" and ")} ${stored.length > 1 ? "have" : "has"}`;
  const query = `WITH numbers (organization_id, ${key}, stored, counted) AS (${rows}),
    compared AS (
      SELECT organization_id, ${key}, sum(stored) AS a, sum(counted) AS b FROM numbers GROUP BY organization_id, ${key}
    )
    SELECT 'organization ' || organization_id || ${name} || ': ${tables} ' || a || ' ' || ${unit} || ' ' || b,
      organization_id, ${jsonArray(key)}, b - a FROM compared
    WHERE ${key.startsWith("account_id,") ? isAccountPresent : isPresent} AND (${differs})`;
  return { kind, query };
}

/** Queries that compare stored counts and sums with the rows that they count, over all organizations. */
export function comparisons({
  dateOfDay,
  firstCompleteDay,
  attributesIn,
  jsonArray,
}: ComparisonTerms): ComparisonQuery[] {
  // The name of an event is the caller's text, and is not repeated.
  const ofDay = ["account_id, day, event", `', account ' || account_id || ', ' || ${dateOfDay}`] as const;
  const ofSum = ["day, event", `', ' || ${dateOfDay}`] as const;
  // The users of old days are deleted; the counts stay.
  const differs = `a <> b AND day >= ${firstCompleteDay}`;
  const isExpiring = `EXISTS (SELECT 1 FROM expiring_days AS e WHERE (e.organization_id, e.account_id, e.day, e.event)
    = (compared.organization_id, compared.account_id, compared.day, compared.event))`;
  const firstUser = "CASE WHEN first_user IS NULL THEN 0 ELSE 1 END";
  const hasFirstUser = "first_user IS NOT NULL";
  const days = { of: "usage_days", number: "count" };
  const sums = { of: "usage_sums", number: "count" };
  const users = { of: "usage_users", number: "1" };
  const sumUsers = { of: "usage_sum_users", number: "1" };
  const counts = { of: "account_counts", number: "count" };
  const accounts = { of: "accounts", number: "1", key: `status, coalesce(tier, '${UNSCORED}')` };
  const pendingEvents = { of: "events", number: "1", where: "external_id IS NOT NULL" };
  const pendingCounts = ["unmatched_ids", "attachments"].map((of) => ({ of, number: "count" }));
  const dayOfEvent = "account_id, timestamp / 86400000, event";
  const events = { of: "events", number: "1", key: dayOfEvent, where: "account_id IS NOT NULL" };
  const ownEvents = { ...days, number: "count - imported_count" };
  const otherUsers = { ...days, number: `users - imported_users - ${firstUser}` };
  const importedUsers = { ...days, number: "imported_users" };
  const firstUsers = { ...days, number: firstUser, key: "day, event, first_user", where: hasFirstUser };
  const lastIndexed = `(SELECT max(sequence) - max(sequence) % ${indexedBlockSize} FROM changes AS c WHERE c.organization_id = t.organization_id)`;
  const changes = { of: "changes", number: "1", where: `sequence <= ${lastIndexed}` };
  const indexed = { of: "account_changes", number: "1" };
  // The account that a row left has its change in the index, too, also before the block is complete.
  const isMove = `EXISTS (SELECT 1 FROM changes AS c WHERE (c.organization_id, c.sequence) = (compared.organization_id, compared.sequence)
    AND c.action = 'updated' AND c.before LIKE '%"accountId":' || compared.account_id || ',%')`;
  const ofUser = ["day, event, user_id", ofSum[1]] as const;
  const ofDays = "'accounts of a user, usage_days and usage_users have'";
  const ofAccount = "', account ' || account_id";
  const inChanges = "'rows of the change ' || sequence || ', the table changes'";
  const ofPending = "'pending events of an external id, the table events'";
  const ofAccounts = "'accounts, the table usage_days'";
  const inStatus = "'accounts of status ' || status || ' and tier ' || tier || ', the table accounts'";
  const all: Comparison[] = [
    ["accountCounts", "status, tier", "''", [counts], [accounts], inStatus],
    ["pendingEvents", "external_id", "''", pendingCounts, [pendingEvents], ofPending],
    // The events of a day may have been deleted, its total stays.
    [
      "dayEvents",
      ...ofDay,
      [ownEvents],
      [events],
      "'events, the table events'",
      `a < b OR (${differs} AND NOT ${isExpiring})`,
    ],
    [
      "dayUsers",
      ...ofDay,
      [otherUsers],
      [users],
      "'further users, the table usage_users'",
      `a < b OR (${differs})`,
    ],
    ["sumEvents", ...ofSum, [sums], [days], "'events, the table usage_days'"],
    ["sumAccounts", ...ofSum, [{ ...sums, number: "account_count" }], [{ ...days, number: "1" }], ofAccounts],
    [
      "sumUsers",
      ...ofSum,
      [{ ...sums, number: "users" }],
      [sumUsers, importedUsers],
      "'users, the table usage_sum_users'",
      differs,
    ],
    [
      "sumUserAccounts",
      ...ofUser,
      [{ ...sumUsers, number: "account_count" }],
      [users, firstUsers],
      ofDays,
      differs,
    ],
    [
      "accountChanges",
      "sequence, account_id",
      ofAccount,
      [indexed],
      [changes],
      inChanges,
      `a < b OR (a > b AND NOT ${isMove})`,
    ],
    ...resources.map((resource): Comparison => {
      // The values of a name have two types while they are converted.
      const isOneType = `(organization_id, name) NOT IN (SELECT organization_id, name FROM attribute_types WHERE resource = '${resource}' AND is_pending = 1)`;
      const names = {
        of: "attribute_names",
        number: "count",
        where: `resource = '${resource}' AND ${isOneType}`,
      };
      const inRows = { of: `(${attributesIn(`${resource}s`)})`, number: "1", where: isOneType };
      const unit = `'${resource}s with a ' || type || ' of the name ' || name || ', the table ${resource}s'`;
      return [`${resource}AttributeNames`, "name, type", "''", [names], [inRows], unit];
    }),
  ];
  return [
    ...all.map((comparison) => compare(comparison, jsonArray)),
    // These tables have no foreign key to accounts.
    ...["events", "usage_days", "usage_users", "health_days"].map((table) => ({
      kind: undefined,
      query: `SELECT 'organization ' || organization_id || ': ' || count(*)
        || ' rows of ${table} belong to account ' || account_id || ', which does not exist'
      FROM ${table} AS t WHERE account_id IS NOT NULL AND ${isAccountPresent}
        AND NOT EXISTS (SELECT 1 FROM accounts AS a WHERE (a.organization_id, a.id) = (t.organization_id, t.account_id))
      GROUP BY organization_id, account_id`,
    })),
    ...resources.map((resource) => ({
      kind: `${resource}Attributes` as const,
      query: `WITH compared AS (
        SELECT organization_id, row_id, name, text, number FROM attribute_values WHERE resource = '${resource}'
        UNION ALL SELECT organization_id, row_id, name, text, number FROM (${attributesIn(`${resource}s`)}) AS members
      ), differing AS (
        SELECT organization_id, row_id FROM compared GROUP BY organization_id, row_id, name
        HAVING count(*) <> 2 OR coalesce(min(text), '') <> coalesce(max(text), '')
          OR (min(number) IS NULL) <> (min(text) IS NOT NULL)
          OR max(number) - min(number) > ${toleratedRelativeError} * abs(max(number))
      )
      SELECT 'organization ' || organization_id || ', ${resource} ' || row_id
        || ': attribute_values differs from the row in ' || count(*) || ' attributes', organization_id, ${jsonArray("row_id")}, 0
      FROM differing WHERE ${isPresent} GROUP BY organization_id, row_id`,
    })),
    {
      kind: undefined,
      query: `SELECT 'organization ' || organization_id || ': ' || (max(sequence) - min(sequence) + 1 - count(*))
      || ' changes are missing between the sequence numbers ' || min(sequence) || ' and ' || max(sequence)
    FROM changes WHERE ${isPresent} GROUP BY organization_id HAVING max(sequence) - min(sequence) + 1 <> count(*)`,
    },
  ];
}
