import type { AccountMatches, AccountSearch } from "../engine.ts";
import type { Session } from "./session.ts";

/**
 * The ids of a page and the number of all matches. The matches are read from the index `accounts_name` alone: with
 * other columns, PostgreSQL would read each row of the table before it compares the texts.
 */
function searchSql(isDescending: boolean, hasStatus: boolean): string {
  const direction = isDescending ? "desc" : "asc";
  return `with matches as materialized (
  select id, folded_name from accounts
  where organization_id = cast($1 as bigint)
    and (strpos(folded_name, $2) > 0 or strpos(folded_external_id, $2) > 0)
    ${hasStatus ? "and status = $5" : ""}
)
select (select count(*) from matches), coalesce(cast(json_agg(id order by folded_name ${direction}, id ${direction}) as text), '[]')
from (
  select id, folded_name from matches order by folded_name ${direction}, id ${direction}
  limit cast($3 as bigint) offset cast($4 as bigint)
) as page`;
}

/** Searches the accounts of an organization. Undefined with more matches than `maxTotal`. Throws as `Session.query`. */
export async function searchAccounts(
  session: Session,
  { organizationId, needle, status, isDescending, limit, offset, maxTotal }: AccountSearch,
): Promise<AccountMatches | undefined> {
  const values = [organizationId, needle, limit, offset].map(String);
  const [row = []] = await session.query(
    searchSql(isDescending, status !== undefined),
    status === undefined ? values : [...values, status],
  );
  const total = Number(row[0]);
  if (maxTotal !== undefined && total > maxTotal) return undefined;
  // Safe: the statement makes this text from ids.
  return { ids: JSON.parse(String(row[1])) as number[], total };
}
