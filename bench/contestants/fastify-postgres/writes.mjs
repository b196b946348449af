import { fold, iso, present } from "../fastify/values.mjs";
import { prepare, transaction } from "./database.mjs";

const insertAccount = prepare(
  `INSERT INTO accounts (organization_id, name, folded_name, external_id, folded_external_id, mrr, status,
     created_at, updated_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
   RETURNING *`,
);
const insertContact = prepare(
  `INSERT INTO contacts (organization_id, account_id, name, folded_name, email, folded_email, created_at, updated_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $7)`,
);

/** Creates an account and, when one is given, its first contact. */
export function createAccount(organizationId, { name, mrr, status, ...body }) {
  const externalId = body.externalId || null;
  const { contactEmail = null, contactName = contactEmail } = body;
  const now = Date.now();
  return transaction(async (client) => {
    const {
      rows: [row],
    } = await client.query(
      insertAccount(organizationId, name, fold(name), externalId, foldNullable(externalId), mrr, status, now),
    );
    if (contactName !== null)
      await client.query(
        insertContact(
          ...[organizationId, row.id, contactName, fold(contactName)],
          ...[contactEmail, foldNullable(contactEmail), now],
        ),
      );
    return present(row);
  });
}

const lockedAccount = prepare(
  "SELECT * FROM accounts WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE",
);
const updateRow = prepare(
  `UPDATE accounts SET name = $3, folded_name = $4, external_id = $5, folded_external_id = $6, mrr = $7,
     status = $8, logo_url = $9, contact_activity_at = $10, updated_at = $11
   WHERE organization_id = $1 AND id = $2`,
);

/** Updates an account, and its updatedAt only if something differs. Returns undefined if it does not exist. */
export function updateAccount(organizationId, id, changes) {
  return transaction(async (client) => {
    const {
      rows: [row],
    } = await client.query(lockedAccount(organizationId, id));
    if (!row) return undefined;
    if (Object.keys(changes).some((column) => changes[column] !== row[column])) {
      Object.assign(row, changes);
      row.updated_at = Math.max(Date.now(), row.updated_at + 1);
      await client.query(
        updateRow(
          ...[organizationId, id, row.name, fold(row.name), row.external_id, foldNullable(row.external_id)],
          ...[row.mrr, row.status, row.logo_url, row.contact_activity_at, row.updated_at],
        ),
      );
    }
    const { contact_activity_at: at } = row;
    return { ...present(row), contactActivityAt: at === null ? null : iso(at) };
  });
}

function foldNullable(text) {
  return text === null ? null : fold(text);
}
