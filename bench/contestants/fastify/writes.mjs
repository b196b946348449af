import { db } from "./database.mjs";
import { fold, iso, millisecondsOfDay, momentOf, mostAhead, oldest, present, refusals } from "./values.mjs";

const insertAccount = db.prepare(
  `INSERT INTO accounts (organization_id, name, folded_name, external_id, folded_external_id, mrr, status,
     created_at, updated_at)
   VALUES (@organizationId, @name, @foldedName, @externalId, @foldedExternalId, @mrr, @status, @now, @now)
   RETURNING *`,
);
const insertContact = db.prepare("INSERT INTO contacts (account_id, name, email) VALUES (?, ?, ?)");

/** Creates an account and, when one is given, its first contact. */
export const createAccount = db.transaction((organizationId, { name, mrr, status, ...given }) => {
  const externalId = given.externalId || null;
  const row = insertAccount.get({
    organizationId,
    name,
    foldedName: fold(name),
    externalId,
    foldedExternalId: externalId && fold(externalId),
    mrr,
    status,
    now: Date.now(),
  });
  const { contactEmail = null, contactName = contactEmail } = given;
  if (contactName !== null) insertContact.run(row.id, contactName, contactEmail);
  return present(row);
}).immediate;

const accountById = db.prepare("SELECT * FROM accounts WHERE organization_id = ? AND id = ?");
const updateRow = db.prepare(
  `UPDATE accounts SET name = @name, folded_name = @folded_name, external_id = @external_id,
     folded_external_id = @folded_external_id, mrr = @mrr, status = @status, logo_url = @logo_url,
     contact_activity_at = @contact_activity_at, updated_at = @updated_at
   WHERE organization_id = @organization_id AND id = @id`,
);

/** Updates an account, and its updatedAt only if something differs. Returns undefined if it does not exist. */
export const updateAccount = db.transaction((organizationId, id, changes) => {
  const row = accountById.get(organizationId, id);
  if (!row) return undefined;
  if (Object.keys(changes).some((column) => changes[column] !== row[column])) {
    Object.assign(row, changes);
    row.folded_name = fold(row.name);
    row.folded_external_id = row.external_id && fold(row.external_id);
    row.updated_at = Math.max(Date.now(), row.updated_at + 1);
    updateRow.run(row);
  }
  const { contact_activity_at: at } = row;
  return { ...present(row), contactActivityAt: at === null ? null : iso(at) };
}).immediate;

const accountByExternalId = db
  .prepare("SELECT id FROM accounts WHERE organization_id = ? AND external_id = ?")
  .pluck();
const idOfAccount = db.prepare("SELECT id FROM accounts WHERE organization_id = ? AND id = ?").pluck();
const insertEvent = db.prepare(
  `INSERT INTO events (organization_id, account_id, message_id, event, timestamp, user_id, properties, received_at)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (organization_id, message_id) DO NOTHING`,
);
const insertUser = db.prepare("INSERT INTO usage_users VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING");
const countDay = db.prepare(
  `INSERT INTO usage_days VALUES (?, ?, ?, ?, 1, ?)
   ON CONFLICT DO UPDATE SET count = count + 1, users = users + excluded.users`,
);

/** Stores the events of one request, and counts them into their accounts' days, in one transaction. */
export const receiveEvents = db.transaction(receiveAll).immediate;

function receiveAll(organizationId, events) {
  const receipt = {
    accepted: 0,
    duplicates: 0,
    parked: 0,
    rejected: 0,
    ignored: 0,
    undeduplicated: 0,
    items: [],
  };
  const now = Date.now();
  for (const [index, event] of events.entries()) {
    const code = receive(organizationId, event, now);
    if (code) receipt.items.push({ index, code, detail: refusals[code] });
    if (code === "duplicate") receipt.duplicates += 1;
    else if (code) receipt.rejected += 1;
    else {
      receipt.accepted += 1;
      if (!event.messageId) receipt.undeduplicated += 1;
    }
  }
  return receipt;
}

/** The reason why the event is rejected, or undefined. */
function receive(
  organizationId,
  { event, accountId, externalId, messageId, timestamp, userId, properties },
  now,
) {
  const at = timestamp === undefined ? now : momentOf(timestamp);
  if (at > now + mostAhead) return "in_future";
  if (at < now - oldest) return "too_old";
  const account =
    accountId === undefined
      ? accountByExternalId.get(organizationId, externalId)
      : idOfAccount.get(organizationId, accountId);
  if (account === undefined) return "unknown_account";
  const user = userId || null;
  const json = properties ? JSON.stringify(properties) : null;
  const time = Math.min(at, now);
  const { changes } = insertEvent.run(
    ...[organizationId, account, messageId || null, event, time, user, json, now],
  );
  if (changes === 0) return "duplicate";
  const day = Math.floor(time / millisecondsOfDay);
  const isNew = user !== null && insertUser.run(account, day, event, user).changes > 0;
  countDay.run(organizationId, account, day, event, isNew ? 1 : 0);
  return undefined;
}
