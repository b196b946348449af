import type { Database } from "bun:sqlite";

const eventsOfAccount = ["login", "report.exported"];
const dayMilliseconds = 86_400_000;
/** Events are kept 35 days. */
const dayCount = 30;
const userCount = 50;

/**
 * Two events of each account, one of each name, on the same day of the last 30, with their counts by day: the rows that
 * the service would have inserted.
 */
export function fillUsage(database: Database, now: number): void {
  const today = Math.floor(now / dayMilliseconds);
  const day = `(${today} - 1 - id % ${dayCount})`;
  const [time, user] = [`(${day} * ${dayMilliseconds} + id % 86400 * 1000)`, `('u' || id % ${userCount})`];
  database.run("PRAGMA cache_size = -524288");
  database.transaction(() => {
    for (const event of eventsOfAccount) {
      database.run(
        `INSERT INTO events (organization_id, account_id, event, timestamp, user_id, received_at)
         SELECT organization_id, id, '${event}', ${time}, ${user}, ${time} FROM accounts`,
      );
      database.run(
        `INSERT INTO usage_days (organization_id, account_id, day, event, count, users, first_user, first_at, last_at)
         SELECT organization_id, id, ${day}, '${event}', 1, 1, ${user}, ${time}, ${time} FROM accounts`,
      );
      database.run(
        `INSERT INTO usage_sum_users (organization_id, day, event, user_id, account_count)
         SELECT organization_id, ${day}, '${event}', ${user}, count(*) FROM accounts GROUP BY 1, 2, 4`,
      );
    }
    database.run(
      `INSERT INTO usage_sums (organization_id, day, event, count, users, account_count)
       SELECT organization_id, day, event, sum(account_count), count(*), sum(account_count) FROM usage_sum_users
       GROUP BY 1, 2, 3`,
    );
  })();
}
