import { db } from "./database.mjs";
import { fold, iso, present } from "./values.mjs";

const columns = "id, name, external_id, mrr, status, logo_url, created_at, updated_at";
const accountById = db.prepare(`SELECT ${columns} FROM accounts WHERE organization_id = ? AND id = ?`);
const contactsOf = db.prepare(
  "SELECT id, name, email FROM contacts WHERE account_id = ? ORDER BY id LIMIT 100",
);
const meetingsOf = db.prepare(
  `SELECT id, title, start_at, end_at FROM meetings WHERE account_id = ? AND start_at <= ?
   ORDER BY start_at DESC, id DESC LIMIT 20`,
);
const requestsOf = db.prepare(
  `SELECT id, title, status, severity, requested_at FROM requests WHERE account_id = ?
   ORDER BY requested_at DESC, id DESC LIMIT 100`,
);

/** The account with its lists; all four reads see one state. */
export const getAccount = db.transaction((organizationId, id) => {
  const row = accountById.get(organizationId, id);
  if (!row) return undefined;
  return {
    ...present(row),
    contacts: contactsOf.all(id),
    meetings: meetingsOf.all(id, Date.now()).map(({ id, title, start_at, end_at }) => ({
      id,
      title,
      startAt: iso(start_at),
      endAt: iso(end_at),
    })),
    requests: requestsOf.all(id).map(({ id, title, status, severity, requested_at }) => ({
      id,
      title,
      status,
      severity,
      requestedAt: iso(requested_at),
    })),
  };
});

/** A page of the organization's accounts and how many there are; both reads see one state. */
export const listAccounts = db.transaction((organizationId, asked) => {
  const { page, pageSize, search, externalId, status } = asked;
  const { rows, count } = statementsOf(asked);
  const pattern = search && `%${fold(search).replace(/[\\%_]/g, "\\$&")}%`;
  const filters = { organizationId, pattern, externalId, status };
  const total = count.get(filters);
  const totalPages = Math.ceil(total / pageSize);
  return {
    data: rows.all({ ...filters, limit: pageSize, offset: (page - 1) * pageSize }).map(present),
    pagination: {
      page,
      pageSize,
      total,
      totalPages,
      hasNextPage: page < totalPages,
      hasPrevPage: page > 1,
    },
  };
});

const orders = { name: "folded_name", mrr: "mrr", createdAt: "created_at", updatedAt: "updated_at" };
const known = new Map();

/** A list's statements, prepared once for each combination of order and filters. */
function statementsOf({ sortBy, sortOrder, search, externalId, status }) {
  const where = ["organization_id = @organizationId"];
  if (search) {
    const isLike = "LIKE @pattern ESCAPE '\\'";
    where.push(`(folded_name ${isLike} OR folded_external_id ${isLike})`);
  }
  if (externalId !== undefined) where.push("external_id = @externalId");
  if (status !== undefined) where.push("status = @status");
  const matching = `FROM accounts WHERE ${where.join(" AND ")}`;
  const order = `ORDER BY ${orders[sortBy]} ${sortOrder}, id ${sortOrder}`;
  const sql = `SELECT ${columns} ${matching} ${order} LIMIT @limit OFFSET @offset`;
  const statements = known.get(sql) ?? {
    rows: db.prepare(sql),
    count: db.prepare(`SELECT count(*) ${matching}`).pluck(),
  };
  known.set(sql, statements);
  return statements;
}
