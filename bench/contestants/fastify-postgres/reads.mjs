import { fold, iso, present } from "../fastify/values.mjs";
import { pool, prepare } from "./database.mjs";

const columns = "id, name, external_id, mrr, status, logo_url, created_at, updated_at";
/** The account and its lists in one statement, so that all are of one state. */
const accountWithLists = prepare(
  `SELECT ${columns},
     (SELECT coalesce(json_agg(json_build_array(id, name, email) ORDER BY id), '[]') FROM (
        SELECT id, name, email FROM contacts WHERE organization_id = $1 AND account_id = $2
        ORDER BY id LIMIT 100) AS listed) AS contacts,
     (SELECT coalesce(json_agg(json_build_array(id, title, start_at, end_at) ORDER BY start_at DESC, id DESC), '[]')
      FROM (SELECT id, title, start_at, end_at FROM meetings
        WHERE organization_id = $1 AND account_id = $2 AND start_at <= $3
        ORDER BY start_at DESC, id DESC LIMIT 20) AS listed) AS meetings,
     (SELECT coalesce(json_agg(json_build_array(id, title, status, severity, requested_at)
        ORDER BY requested_at DESC, id DESC), '[]')
      FROM (SELECT id, title, status, severity, requested_at FROM requests
        WHERE organization_id = $1 AND account_id = $2
        ORDER BY requested_at DESC, id DESC LIMIT 100) AS listed) AS requests
   FROM accounts WHERE organization_id = $1 AND id = $2`,
);

/** The account with its lists, or undefined. */
export async function getAccount(organizationId, id) {
  const {
    rows: [row],
  } = await pool.query(accountWithLists(organizationId, id, Date.now()));
  if (!row) return undefined;
  return {
    ...present(row),
    contacts: row.contacts.map(([id, name, email]) => ({ id, name, email })),
    meetings: row.meetings.map(([id, title, startAt, endAt]) => ({
      id,
      title,
      startAt: iso(startAt),
      endAt: iso(endAt),
    })),
    requests: row.requests.map(([id, title, status, severity, requestedAt]) => ({
      id,
      title,
      status,
      severity,
      requestedAt: iso(requestedAt),
    })),
  };
}

/** A page of the organization's accounts and how many there are, in one statement. */
export async function listAccounts(organizationId, { page, pageSize, ...filters }) {
  const { search, externalId, status } = filters;
  const pattern = search && `%${fold(search).replace(/[\\%_]/g, "\\$&")}%`;
  const values = [pattern, externalId, status].filter((value) => value !== undefined && value !== "");
  const { rows } = await pool.query(
    statementOf(filters)(organizationId, pageSize, (page - 1) * pageSize, ...values),
  );
  const { total } = rows[0];
  const totalPages = Math.ceil(total / pageSize);
  return {
    // Without an account on the page there is one row, with the total alone.
    data: rows.filter(({ id }) => id !== null).map(present),
    pagination: {
      page,
      pageSize,
      total,
      totalPages,
      hasNextPage: page < totalPages,
      hasPrevPage: page > 1,
    },
  };
}

const orders = { name: "folded_name", mrr: "mrr", createdAt: "created_at", updatedAt: "updated_at" };
const known = new Map();

/** The statement of a list: one for each combination of order and filters. */
function statementOf({ sortBy, sortOrder, search, externalId, status }) {
  let count = 3;
  const where = ["organization_id = $1"];
  if (search) {
    count += 1;
    where.push(`(folded_name LIKE $${count} OR folded_external_id LIKE $${count})`);
  }
  if (externalId !== undefined) {
    count += 1;
    where.push(`external_id = $${count}`);
  }
  if (status !== undefined) {
    count += 1;
    where.push(`status = $${count}`);
  }
  const matching = `FROM accounts WHERE ${where.join(" AND ")}`;
  const column = orders[sortBy];
  const order = `ORDER BY ${column} ${sortOrder}, id ${sortOrder}`;
  const text = search ? searchText(matching, column, order) : listText(matching, order);
  const statement = known.get(text) ?? prepare(text);
  known.set(text, statement);
  return statement;
}

function listText(matching, order) {
  return `SELECT total, page.* FROM (SELECT count(*) AS total ${matching}) AS counted
    LEFT JOIN (SELECT ${columns}, folded_name ${matching} ${order} LIMIT $2 OFFSET $3) AS page ON true ${order}`;
}

/** The matches are read from the index of names alone, and once for both the page and the total. */
function searchText(matching, column, order) {
  return `WITH matches AS MATERIALIZED (SELECT id, ${column} ${matching}),
    page AS (SELECT id FROM matches ${order} LIMIT $2 OFFSET $3)
    SELECT total, shown.* FROM (SELECT count(*) AS total FROM matches) AS counted
    LEFT JOIN (SELECT ${columns}, folded_name FROM page JOIN accounts USING (id) WHERE organization_id = $1) AS shown
    ON true ${order}`;
}
